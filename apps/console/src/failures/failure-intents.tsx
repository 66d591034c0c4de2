import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import type { Answer } from '../api/api-types.js';
import { usePages } from '../api/use-pages.js';
import { type Column, DataTable } from '../components/data-table.js';
import { EmptyState } from '../components/empty-state.js';
import { MaskedValue } from '../components/masked-value.js';
import { Money } from '../components/money.js';
import { TimeText } from '../components/time-text.js';
import type { FailureGroup } from './causes.js';
import styles from './failure-intents.module.css';

type Intent = Answer<'/intents'>['items'][number];

const columns: readonly Column<Intent>[] = [
  {
    id: 'member',
    header: 'Member',
    width: 'minmax(120px, 2fr)',
    cell: ({ id, memberId, seq }) => (
      <Link to="/intents/$id" params={{ id }}>
        <MaskedValue text={memberId} /> #{seq}
      </Link>
    ),
  },
  {
    id: 'purchase',
    header: 'Purchase',
    width: 'minmax(100px, 2fr)',
    isMinor: true,
    cell: ({ purchaseId }) => purchaseId ?? '–',
  },
  { id: 'store', header: 'Store', width: 'minmax(80px, 1fr)', isMinor: true, cell: ({ storeId }) => storeId ?? '–' },
  { id: 'amount', header: 'Amount', width: '112px', align: 'end', cell: ({ amount }) => <Money of={amount} /> },
  {
    id: 'recorded',
    header: 'Recorded',
    width: 'minmax(96px, 1fr)',
    isMinor: true,
    cell: ({ recordedAt }) => <TimeText at={recordedAt} />,
  },
  { id: 'since', header: 'Since', width: 'minmax(88px, 1fr)', cell: ({ since }) => <TimeText at={since} /> },
];

const idOf = ({ id }: Intent): string => id;

/** All that failed for the same cause, the newest first. */
export function FailureIntents({ query }: Pick<FailureGroup, 'query'>): ReactNode {
  const list = usePages('/intents', { query });
  const navigate = useNavigate();
  return (
    <section aria-labelledby="these">
      <div className={styles.head}>
        <h2 id="these">These intents</h2>
        <button type="button" onClick={list.refresh}>
          Reload
        </button>
      </div>
      <DataTable
        label="Intents of this cause"
        columns={columns}
        list={list}
        rowId={idOf}
        onOpen={({ id }) => void navigate({ to: '/intents/$id', params: { id } })}
        empty={(readAtMs) => <EmptyState title="None is left" goodAsOfMs={readAtMs} />}
      />
    </section>
  );
}
