import { type ReactNode } from 'react';

import styles from './work-table.module.css';

interface WorkColumn<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Left out on a phone. */
  readonly isMinor?: boolean;
}

interface WorkTableProps<Row> {
  /** What it lists, for those who hear it. */
  readonly label: string;
  readonly columns: readonly WorkColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
}

/** A list that comes whole and is short, with buttons and bars in it; the first column names the row. */
export function WorkTable<Row>({ label, columns, rows, rowId }: WorkTableProps<Row>): ReactNode {
  const classOf = (column: WorkColumn<Row>): string | undefined => (column.isMinor === true ? styles.minor : undefined);
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={classOf(column)}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowId(row)}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.id} scope="row" className={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.id} className={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
