import { type ReactNode } from 'react';

import { durationText } from '../components/time-words.js';
import { holdsText } from './job-holds.js';
import { type Job, jobKinds } from './job-kinds.js';
import { msLeft, progressOf, progressText } from './job-progress.js';
import styles from './job-progress-bar.module.css';
import { useHolds } from './use-holds.js';

/** How far a job is, and how long it will take, as far as that is known. */
export function JobProgressBar({ job, nowMs }: { readonly job: Job; readonly nowMs: number }): ReactNode {
  const progress = progressOf(job);
  const holds = useHolds(job);
  // How long a pause lasts nobody knows.
  const left = holds.length > 0 ? null : msLeft(job, nowMs);
  const { done, total } = progress;
  return (
    <div className={styles.progress}>
      {total === null || total === 0 || job.state === 'done' ? null : (
        <progress
          className={styles.bar}
          max={total}
          value={Math.min(done, total)}
          aria-label={`${jobKinds[job.kind].name} ${job.id}`}
        />
      )}
      <span className={styles.words}>
        {progressText(progress)}
        {left === null ? '' : `, about ${durationText(left)} left`}
        {holds.length === 0 ? '' : `, waits for a pause: ${holdsText(holds)}`}
      </span>
    </div>
  );
}
