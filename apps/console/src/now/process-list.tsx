import { type ReactNode } from 'react';

import { type PlainColumn, PlainTable } from '../components/plain-table.js';
import { TimeText } from '../components/time-text.js';
import styles from './now-table.module.css';
import type { Stats } from './problem.js';

const hashChars = 8;

const columns: readonly PlainColumn<Stats['processes'][number]>[] = [
  {
    id: 'host',
    header: 'Host',
    className: styles.name,
    cell: ({ id, host, isSelf }) => (
      <span title={id}>
        {host}
        {isSelf ? <span className={styles.zero}> (answers you)</span> : null}
      </span>
    ),
  },
  { id: 'roles', header: 'Roles', cell: ({ roles }) => roles.join(', ') },
  {
    id: 'programs',
    header: 'Programs file',
    isMinor: true,
    cell: ({ programs }) => <code title={programs}>{programs.slice(0, hashChars)}</code>,
  },
  { id: 'started', header: 'Started', cell: ({ startedAt }) => <TimeText at={startedAt} /> },
  { id: 'seen', header: 'Seen', isMinor: true, cell: ({ seenAt }) => <TimeText at={seenAt} /> },
];

/** Every process that reported within the last seconds. */
export function ProcessList({ stats: { processes } }: { readonly stats: Stats }): ReactNode {
  return (
    <div>
      <h2 className={styles.title}>Processes</h2>
      <PlainTable label="Processes" columns={columns} rows={processes} rowId={({ id }) => id} />
    </div>
  );
}
