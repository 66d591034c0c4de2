import { type ReactNode } from 'react';

import styles from './plain-table.module.css';

export interface PlainColumn<Row> {
  readonly id: string;
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers and money stand at the end, and take one line. */
  readonly align?: 'end';
  /** Left out on a phone. */
  readonly isMinor?: boolean;
  /** Of its cells and its head. */
  readonly className?: string | undefined;
  /** What a cell says by its colour as well: `data-state` of it. */
  readonly state?: (row: Row) => string | undefined;
  /** Where it is one to sort by: whether it is the one. */
  readonly isSorted?: boolean;
}

interface PlainTableProps<Row> {
  /** What it lists, for those who hear it. */
  readonly label: string;
  /** The first one names the row. */
  readonly columns: readonly PlainColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowId: (row: Row, index: number) => string;
  readonly className?: string | undefined;
}

type CellProps = { readonly className: string } & ({ readonly 'data-state': string } | object);

function classOf<Row>({ align, isMinor, className }: PlainColumn<Row>): string {
  const names = [align === 'end' && styles.end, isMinor === true && styles.minor, className];
  return names.filter((name) => typeof name === 'string').join(' ');
}

function cellProps<Row>(column: PlainColumn<Row>, row: Row): CellProps {
  const state = column.state?.(row);
  return { className: classOf(column), ...(state === undefined ? {} : { 'data-state': state }) };
}

function Head<Row>({ column }: { readonly column: PlainColumn<Row> }): ReactNode {
  const { header, isSorted } = column;
  const sort = isSorted === undefined ? {} : ({ 'aria-sort': isSorted ? 'descending' : 'none' } as const);
  return (
    <th scope="col" className={classOf(column)} {...sort}>
      {header}
    </th>
  );
}

/** A table that comes whole and is short. Where it is wider than its place it is scrolled, by keys as well. */
export function PlainTable<Row>({ label, columns, rows, rowId, className }: PlainTableProps<Row>): ReactNode {
  const [first, ...others] = columns;
  return (
    <div className={`${styles.frame} ${className ?? ''}`} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.id} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={rowId(row, index)}>
              {first === undefined ? null : (
                <th scope="row" {...cellProps(first, row)}>
                  {first.cell(row)}
                </th>
              )}
              {others.map((column) => (
                <td key={column.id} {...cellProps(column, row)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
