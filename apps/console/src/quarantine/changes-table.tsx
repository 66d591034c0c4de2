import { type ReactNode } from 'react';

import { MaskedValue } from '../components/masked-value.js';
import { type PlainColumn, PlainTable } from '../components/plain-table.js';
import styles from './changes-table.module.css';
import type { RecordChange } from './record-changes.js';

function Value({ value, isThere }: { readonly value: unknown; readonly isThere: boolean }): ReactNode {
  if (!isThere) return <span className="unseen">nothing</span>;
  return (
    <code>
      <MaskedValue text={JSON.stringify(value)} />
    </code>
  );
}

const columns: readonly PlainColumn<RecordChange>[] = [
  { id: 'path', header: 'Path', className: styles.part, cell: ({ path }) => <code>{path}</code> },
  {
    ...{ id: 'before', header: 'Before', className: styles.part },
    state: ({ change }) => (change === 'added' ? undefined : 'from'),
    cell: ({ change, from }) => <Value value={from} isThere={change !== 'added'} />,
  },
  {
    ...{ id: 'after', header: 'After', className: styles.part },
    state: ({ change }) => (change === 'removed' ? undefined : 'to'),
    cell: ({ change, to }) => <Value value={to} isThere={change !== 'removed'} />,
  },
];

interface ChangesTableProps {
  readonly changes: readonly RecordChange[];
  readonly label: string;
}

/** In what two versions of a record differ, path by path. */
export function ChangesTable({ changes, label }: ChangesTableProps): ReactNode {
  return <PlainTable label={label} columns={columns} rows={changes} rowId={({ path }) => path} />;
}
