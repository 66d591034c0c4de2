import { type ReactNode } from 'react';

import type { Answer } from '../api/api-types.js';
import styles from './status-badge.module.css';

export type IntentStatus = Answer<'/intents'>['items'][number]['status'];

/** What each is, and what to think of it. */
const meanings: Readonly<Record<IntentStatus, string>> = {
  waiting: 'It waits for something else of its member',
  pending: 'It will be sent',
  delivering: 'It is being sent',
  unknown: 'Sent, and nobody knows yet whether it took effect',
  delivered: 'The partner has it',
  parked: 'It needs a person',
  cancelled: 'It will not be sent',
};

/** A sign beside the word, for those who do not see the colour. */
const signs: Readonly<Record<IntentStatus, string>> = {
  waiting: 'M2 4h8M2 8h8',
  pending: 'M6 11A5 5 0 1 0 6 1a5 5 0 0 0 0 10zM6 3.500V6l1.800 1',
  delivering: 'M2 6h8M7 3l3 3-3 3',
  unknown: 'M4 4a2 2 0 1 1 3 1.800C6.300 6.300 6 6.600 6 7.500M6 9.800v.1',
  delivered: 'M2 6.500l3 3L10 3.500',
  parked: 'M6 2v5M6 9.700v.1',
  cancelled: 'M3 3l6 6M9 3L3 9',
};

/** How an intent stands. */
export function StatusBadge({ status }: { readonly status: IntentStatus }): ReactNode {
  return (
    <span className={styles.badge} data-status={status} title={meanings[status]}>
      <svg className={styles.sign} viewBox="0 0 12 12" aria-hidden="true" focusable="false">
        <path d={signs[status]} />
      </svg>
      {status}
    </span>
  );
}
