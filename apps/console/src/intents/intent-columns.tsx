import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import type { Column } from '../components/data-table.js';
import { Money } from '../components/money.js';
import { capital, operationName } from '../components/operation-words.js';
import { StatusBadge } from '../components/status-badge.js';
import { TimeText } from '../components/time-text.js';
import styles from './intents-screen.module.css';
import type { IntentRow } from './live-head.js';

function What({ row }: { readonly row: IntentRow }): ReactNode {
  const { amount, purchaseId, eventType } = row;
  if (amount === null && purchaseId === null) {
    return <span className={styles.quiet}>{eventType.replace(/^.*loyalty\./, '').replace(/\.v\d+$/, '')}</span>;
  }
  return (
    <>
      {amount === null ? null : <Money of={amount} />}
      {purchaseId === null ? null : <span className={styles.purchase}>{purchaseId}</span>}
    </>
  );
}

function why({ status, reason, code }: IntentRow): string {
  if (status === 'waiting' && reason !== null) return `for its ${reason}`;
  return [...new Set([reason, code])].filter((part) => part !== null).join(', ');
}

export const intentColumns: readonly Column<IntentRow>[] = [
  {
    id: 'status',
    header: 'Status',
    width: '112px',
    cell: ({ id, status }) => (
      <Link to="/intents/$id" params={{ id }} aria-label={`${status}, open ${id}`} tabIndex={-1}>
        <StatusBadge status={status} />
      </Link>
    ),
  },
  { id: 'when', header: 'Recorded', width: '104px', cell: ({ recordedAt }) => <TimeText at={recordedAt} /> },
  {
    id: 'member',
    header: 'Member',
    width: 'minmax(96px, 1.2fr)',
    cell: ({ program, memberId }) => (
      <Link to="/members/$program/$memberId" params={{ program, memberId }} tabIndex={-1} title={memberId}>
        {memberId}
      </Link>
    ),
  },
  { id: 'program', header: 'Program', width: 'minmax(80px, 0.7fr)', isMinor: true, cell: ({ program }) => program },
  {
    id: 'operation',
    header: 'Operation',
    width: '152px',
    isMinor: true,
    cell: ({ operation }) => capital(operationName(operation, 1)),
  },
  { id: 'what', header: 'What', width: 'minmax(120px, 1fr)', isMinor: true, cell: (row) => <What row={row} /> },
  {
    id: 'why',
    header: 'Why',
    width: 'minmax(120px, 1.2fr)',
    isMinor: true,
    cell: (row) => <span title={why(row)}>{why(row)}</span>,
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
