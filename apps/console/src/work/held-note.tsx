import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { TimeText } from '../components/time-text.js';
import { capital } from '../components/operation-words.js';
import styles from './job-report.module.css';
import { type Pause, scopeText } from './pause-words.js';

/** Before somebody waits for it: what of a job does not go on until a pause is lifted. */
export function HeldNote({ holds }: { readonly holds: readonly Pause[] }): ReactNode {
  if (holds.length === 0) return null;
  return (
    <section className={styles.held} aria-label="Held by a pause">
      {holds.map((pause) => (
        <p key={scopeText(pause)}>
          <b>{capital(scopeText(pause))}</b> {pause.operation === null ? 'is' : 'are'} paused since{' '}
          <TimeText at={pause.since} />: nothing of that is sent until it is resumed.
        </p>
      ))}
      <p>
        <Link to="/pauses">See what is paused</Link>
      </p>
    </section>
  );
}
