import { type ReactNode } from 'react';

import type { Replay } from './replay-filter.js';
import styles from './replays.module.css';

const names: Readonly<Record<Replay['state'], string>> = {
  planned: 'dry run',
  running: 'running',
  paused: 'paused',
  stopped: 'stopped by its canary',
  cancelled: 'cancelled',
  done: 'done',
};

/** How a replay stands. */
export function ReplayState({ state }: { readonly state: Replay['state'] }): ReactNode {
  return (
    <span className={styles.state} data-state={state}>
      {names[state]}
    </span>
  );
}
