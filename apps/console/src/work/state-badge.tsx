import { type ReactNode } from 'react';

import styles from './state-badge.module.css';

/** Where the name alone does not say it. */
const meanings: Readonly<Record<string, string>> = {
  planned: 'Nothing is sent until somebody starts it',
  stopped: 'By its canary: too many failed',
};

/** How a job, a request or a check stands: the word says it, the colour only repeats it. */
export function StateBadge({ state }: { readonly state: string }): ReactNode {
  return (
    <span className={styles.state} data-state={state} title={meanings[state]}>
      {state === 'planned' ? 'dry run' : state}
    </span>
  );
}
