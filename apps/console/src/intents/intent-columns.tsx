import { type ReactNode } from 'react';

import type { Column } from '../components/data-table.js';
import { mixedScriptsWords } from '../components/mixed-scripts.js';
import { Money } from '../components/money.js';
import { capital, operationName } from '../components/operation-words.js';
import { RowLink } from '../components/row-link.js';
import { StatusBadge } from '../components/status-badge.js';
import { TimeText } from '../components/time-text.js';
import styles from './intents-screen.module.css';
import type { IntentRow } from './live-head.js';

const eventName = (eventType: string): string => eventType.replace(/^.*loyalty\./, '').replace(/\.v\d+$/, '');

/** The number by which a shop knows it; what has none says what it was. */
function Purchase({ row }: { readonly row: IntentRow }): ReactNode {
  const { purchaseId, eventType } = row;
  if (purchaseId === null) return <span className={styles.quiet}>{eventName(eventType)}</span>;
  return <span title={purchaseId}>{purchaseId}</span>;
}

function why({ status, reason, code }: IntentRow): string {
  if (status === 'waiting' && reason !== null) return `for its ${reason}`;
  return [...new Set([reason, code])].filter((part) => part !== null).join(', ');
}

/** What the partner said to one of them; null: nothing that may be shown. */
export type Says = (row: IntentRow) => string | null;

const quietText = (text: string | null): ReactNode => (text === null ? '–' : <span title={text}>{text}</span>);

const knownColumns: readonly Column<IntentRow>[] = [
  {
    id: 'status',
    header: 'Status',
    width: '112px',
    cell: ({ id, status }) => (
      <RowLink path={['intents', id]} aria-label={`${status}, open ${id}`}>
        <StatusBadge status={status} />
      </RowLink>
    ),
  },
  { id: 'when', header: 'Recorded', width: '104px', cell: ({ recordedAt }) => <TimeText at={recordedAt} /> },
  {
    id: 'member',
    header: 'Member',
    width: 'minmax(96px, 1fr)',
    cell: ({ program, memberId, mixedScripts }) => (
      <RowLink
        path={['members', program, memberId]}
        title={mixedScripts ? `${memberId}: ${mixedScriptsWords}` : memberId}
      >
        {mixedScripts ? `⚠ ${memberId}` : memberId}
      </RowLink>
    ),
  },
  { id: 'program', header: 'Program', width: 'minmax(96px, 0.8fr)', isMinor: true, cell: ({ program }) => program },
  {
    id: 'operation',
    header: 'Operation',
    width: '124px',
    isMinor: true,
    cell: ({ operation }) => capital(operationName(operation, 1)),
  },
  {
    id: 'amount',
    header: 'Amount',
    width: '96px',
    isMinor: true,
    align: 'end',
    cell: ({ amount }) => (amount === null ? '–' : <Money of={amount} />),
  },
  {
    id: 'purchase',
    header: 'Purchase',
    width: 'minmax(112px, 1.1fr)',
    isMinor: true,
    cell: (row) => <Purchase row={row} />,
  },
  {
    id: 'store',
    header: 'Store',
    width: 'minmax(88px, 0.8fr)',
    isMinor: true,
    cell: ({ storeId }) => quietText(storeId),
  },
  {
    id: 'source',
    header: 'Source',
    width: 'minmax(96px, 0.9fr)',
    isMinor: true,
    cell: ({ source }) => quietText(source),
  },
  {
    id: 'why',
    header: 'Why',
    width: 'minmax(104px, 0.9fr)',
    isMinor: true,
    cell: (row) => <span title={why(row)}>{why(row)}</span>,
  },
  {
    id: 'since',
    header: 'In this state since',
    width: '128px',
    isMinor: true,
    cell: ({ since }) => <TimeText at={since} />,
  },
  {
    id: 'occurred',
    header: 'Occurred',
    width: '104px',
    isMinor: true,
    cell: ({ occurredAt }) => <TimeText at={occurredAt} />,
  },
  {
    id: 'attempts',
    header: 'Attempts',
    width: '72px',
    isMinor: true,
    align: 'end',
    cell: ({ attemptCount }) => attemptCount.toLocaleString('en'),
  },
];

/** All that there are to choose from, in their order. */
export const intentColumns = (says: Says): readonly Column<IntentRow>[] => [
  ...knownColumns,
  {
    id: 'says',
    header: 'Partner says',
    width: 'minmax(120px, 1.4fr)',
    isMinor: true,
    cell: (row) => quietText(says(row)),
  },
];

/** Without these nobody would know what a row is. */
export const fixedColumns: readonly string[] = ['status', 'when', 'member'];

/** On a phone. */
export const intentSecondLine = (row: IntentRow): ReactNode => (
  <>
    {row.amount === null ? null : <Money of={row.amount} />}
    <Purchase row={row} />
    <span className={styles.clipped}>{why(row)}</span>
  </>
);
