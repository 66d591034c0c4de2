import { type ReactNode } from 'react';

import styles from './state-badge.module.css';

/** How a job, a request or a check stands: the word says it, the colour only repeats it. */
export function StateBadge({ state }: { readonly state: string }): ReactNode {
  return (
    <span className={styles.state} data-state={state}>
      {state}
    </span>
  );
}
