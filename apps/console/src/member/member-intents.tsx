import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { type Column, DataTable } from '../components/data-table.js';
import { EmptyState } from '../components/empty-state.js';
import { Money } from '../components/money.js';
import { capital } from '../components/operation-words.js';
import { StatusBadge } from '../components/status-badge.js';
import { TimeText } from '../components/time-text.js';
import { intentName, type MemberIntent } from './lane-picture.js';

const columns: readonly Column<MemberIntent>[] = [
  {
    id: 'intent',
    header: 'Intent',
    width: 'minmax(112px, 1fr)',
    cell: (intent) => (
      <Link to="/intents/$id" params={{ id: intent.id }}>
        {capital(intentName(intent))}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', width: '104px', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'why',
    header: 'Why',
    width: 'minmax(120px, 1fr)',
    isMinor: true,
    cell: ({ reason, code }) => [...new Set([reason, code])].filter((part) => part !== null).join(', '),
  },
  {
    id: 'purchase',
    header: 'Purchase',
    width: 'minmax(96px, 1fr)',
    isMinor: true,
    cell: ({ purchaseId }) => purchaseId ?? '–',
  },
  {
    id: 'amount',
    header: 'Amount',
    width: '112px',
    align: 'end',
    isMinor: true,
    cell: ({ amount }) => <Money of={amount} />,
  },
  {
    id: 'recorded',
    header: 'Recorded',
    width: '104px',
    align: 'end',
    cell: ({ recordedAt }) => <TimeText at={recordedAt} />,
  },
];

const nothing = (): void => undefined;
const pathOf = ({ id }: MemberIntent): readonly string[] => ['intents', id];

interface MemberIntentsProps {
  readonly intents: readonly MemberIntent[];
  readonly readAtMs: number;
}

export function MemberIntents({ intents, readAtMs }: MemberIntentsProps): ReactNode {
  const navigate = useNavigate();
  const list = {
    ...{ rows: intents, readAtMs, hasMore: false, isLoading: false, error: null, emptyPages: 0 },
    ...{ loadMore: nothing, refresh: nothing },
  };
  return (
    <DataTable
      label="Newest intents"
      columns={columns}
      list={list}
      rowId={({ id }) => id}
      pathOf={pathOf}
      onOpen={({ id }) => void navigate({ to: '/intents/$id', params: { id } })}
      empty={() => (
        <EmptyState title="No intents">They may have left the database: what is settled does in time.</EmptyState>
      )}
    />
  );
}
