import { type ReactNode } from 'react';

import { MaskedValue } from '../components/masked-value.js';
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

interface ChangesTableProps {
  readonly changes: readonly RecordChange[];
  readonly label: string;
}

/** In what two versions of a record differ, path by path. */
export function ChangesTable({ changes, label }: ChangesTableProps): ReactNode {
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Path</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ path, change, from, to }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td className={change === 'added' ? undefined : styles.from}>
                <Value value={from} isThere={change !== 'added'} />
              </td>
              <td className={change === 'removed' ? undefined : styles.to}>
                <Value value={to} isThere={change !== 'removed'} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
