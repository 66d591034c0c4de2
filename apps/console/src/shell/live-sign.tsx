import { type ReactNode, useEffect } from 'react';

import { followStream, type StreamState, useStreamState } from '../api/stream.js';
import styles from './live-sign.module.css';

const words: Readonly<Record<StreamState, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  away: 'Not live',
  resting: 'Resting',
};

const explanations: Readonly<Record<StreamState, string>> = {
  connecting: 'Connecting to the daemon',
  live: 'What changes is shown as it changes',
  away: 'No connection to the daemon: what you see may be old. It is tried again',
  resting: 'This tab was hidden: it goes on when it is looked at',
};

/** Whether what is shown is what is. */
export function LiveSign(): ReactNode {
  const state = useStreamState();
  useEffect(followStream, []);
  return (
    <span className={styles.sign} data-state={state} title={explanations[state]} role="status">
      <span className={styles.dot} aria-hidden="true" />
      <span className={styles.word}>{words[state]}</span>
    </span>
  );
}
