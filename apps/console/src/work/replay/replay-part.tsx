import { type ReactNode } from 'react';

import { TimeText } from '../../components/time-text.js';
import type { Job } from '../job-kinds.js';
import { useHolds } from '../use-holds.js';
import { FilterChips } from './filter-chips.js';
import { filterOfReplay, replayOf } from './replay-filter.js';
import { ReplayItems } from './replay-items.js';
import { ReplayPlan } from './replay-plan.js';
import { ReplayProgress } from './replay-progress.js';
import styles from './replays.module.css';

/** Who planned it, and who had it sent. */
export function ReplayStory({ job }: { readonly job: Job }): ReactNode {
  const { id, createdBy, createdAt, startedBy, startedAt, startReason, reason } = job;
  return (
    <>
      <code>{id}</code>. Planned by {createdBy}, <TimeText at={createdAt} />: {reason}
      {startedBy === null || startedAt === null ? null : (
        <>
          . Started by {startedBy}, <TimeText at={startedAt} />
          {startReason === reason ? '' : `: ${startReason ?? ''}`}
        </>
      )}
    </>
  );
}

interface ReplayPartProps {
  readonly job: Job;
  /** When that was read. */
  readonly atMs: number;
}

/** What the page of a job shows of a replay: what is at stake and to be expected, its canary, and what came of each item. */
export function ReplayPart({ job, atMs }: ReplayPartProps): ReactNode {
  const replay = replayOf(job);
  const isHeld = useHolds(job).length > 0;
  return (
    <>
      <div className={styles.selection}>
        <FilterChips filter={filterOfReplay(replay)} />
        {replay.force ? (
          <span
            className={styles.forced}
            title="Also those that came back five times or more. Only an admin starts, resumes and cancels it."
          >
            forced
          </span>
        ) : null}
      </div>
      {replay.state === 'planned' ? (
        <ReplayPlan replay={replay} />
      ) : (
        <ReplayProgress replay={replay} atMs={atMs} isHeld={isHeld} />
      )}
      <ReplayItems replay={replay} />
    </>
  );
}
