import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { Money } from '../components/money.js';
import { Panel } from '../components/panel.js';
import { type PlainColumn, PlainTable } from '../components/plain-table.js';
import { TimeText } from '../components/time-text.js';
import { detailWords } from '../quarantine/refusal-words.js';
import type { Member } from './lane-picture.js';

type SetAside = Member['setAside'];
type Record = SetAside['items'][number];

const columns: readonly PlainColumn<Record>[] = [
  {
    id: 'record',
    header: 'Record',
    cell: ({ id }) => (
      <Link to="/quarantine/$id" params={{ id: String(id) }}>
        Record {id}
      </Link>
    ),
  },
  { id: 'why', header: 'Why', cell: (record) => `${record.reason}: ${detailWords(record)}` },
  {
    id: 'stake',
    header: 'At stake',
    align: 'end',
    cell: ({ amount }) => (amount === null ? '–' : <Money of={[amount]} />),
  },
  { id: 'at', header: 'Set aside', isMinor: true, cell: ({ recordedAt }) => <TimeText at={recordedAt} /> },
];

/** Records that name the member and could not be taken in: "we never got it" would be wrong. Nothing where there is none. */
export function SetAsidePanel({ of, memberId }: { readonly of: SetAside; readonly memberId: string }): ReactNode {
  if (of.items.length === 0) return null;
  return (
    <Panel title="Set aside in quarantine">
      <PlainTable
        label="Records of theirs in quarantine"
        columns={columns}
        rows={of.items}
        rowId={({ id }) => String(id)}
      />
      {of.hasMore ? (
        <p>
          There are more:{' '}
          <Link to="/quarantine" search={{ memberId }}>
            all that name them
          </Link>
        </p>
      ) : null}
    </Panel>
  );
}
