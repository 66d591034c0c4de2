import { type ReactNode } from 'react';

import type { Replay } from './replay-filter.js';
import styles from './replays.module.css';

const names: Readonly<Record<Replay['state'], string>> = {
  planned: 'dry run',
  running: 'running',
  paused: 'paused',
  stopped: 'stopped',
  cancelled: 'cancelled',
  done: 'done',
};

/** Where the name alone does not say it. */
const meanings: Readonly<Partial<Record<Replay['state'], string>>> = {
  planned: 'Nothing is sent until somebody starts it',
  stopped: 'By its canary: too many failed again',
};

/** How a replay stands. */
export function ReplayState({ state }: { readonly state: Replay['state'] }): ReactNode {
  return (
    <span className={styles.state} data-state={state} title={meanings[state]}>
      {names[state]}
    </span>
  );
}
