import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  memo,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';

import type { Pages } from '../api/use-pages.js';
import styles from './data-table.module.css';
import { TableEnd } from './table-end.js';
import { type RowPlace, useRowKeys } from './use-row-keys.js';

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** A track of a CSS grid, such as `88px` or `minmax(120px, 1fr)`. */
  readonly width: string;
  /** Numbers and money stand at the end. */
  readonly align?: 'end';
  /** Left out where there is no room, such as on a phone. */
  readonly isMinor?: boolean;
}

interface DataTableProps<Row> {
  /** What it lists, for those who hear it. */
  readonly label: string;
  /** Outside the component, or memoized. */
  readonly columns: readonly Column<Row>[];
  readonly list: Pages<Row>;
  readonly rowId: (row: Row) => string;
  /** Of Enter, and of a click beside a link. */
  readonly onOpen?: (row: Row) => void;
  /** Where there are none. */
  readonly empty: ReactNode;
}

const rowPx = 32;
const overscan = 12;
/** So many rows before the end the next page is asked for. */
const aheadRows = 40;
/** Then somebody must say that they want to search on. */
const emptyPagesMax = 20;
const features = tableFeatures({});
const isInteractive = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button, input, select, label') !== null;

function tracksOf<Row>(columns: readonly Column<Row>[]): CSSProperties {
  const widths = (some: readonly Column<Row>[]): string => some.map(({ width }) => width).join(' ');
  return {
    '--tracks': widths(columns),
    '--tracks-narrow': widths(columns.filter(({ isMinor }) => isMinor !== true)),
  } as CSSProperties;
}

const cellClass = <Row,>({ align, isMinor }: Column<Row>): string =>
  [styles.cell, align === 'end' ? styles.end : '', isMinor === true ? styles.minor : ''].join(' ');

interface DataRowProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly index: number;
  readonly topPx: number;
  /** Tab comes to this one. */
  readonly isStop: boolean;
  readonly onFocus: (index: number) => void;
  readonly onOpen: ((row: Row) => void) | undefined;
}

function PlainRow<Row>({ row, columns, index, topPx, isStop, onFocus, onOpen }: DataRowProps<Row>): ReactNode {
  const open = (event: MouseEvent): void => {
    // Who marks a text to copy it goes nowhere.
    if (!isInteractive(event.target) && getSelection()?.isCollapsed !== false) onOpen?.(row);
  };
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      tabIndex={isStop ? 0 : -1}
      className={`${styles.row} ${styles.line}`}
      data-opens={onOpen !== undefined}
      style={{ transform: `translateY(${topPx}px)` }}
      onFocus={() => onFocus(index)}
      onClick={open}
    >
      {columns.map((column) => (
        <div key={column.id} role="gridcell" className={cellClass(column)}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}

/** Scrolling draws only what comes into sight. */
const DataRow = memo(PlainRow) as typeof PlainRow;

/**
 * A long list: only what is in sight is in the page, the rest is read while one scrolls. Arrow keys, or j and k, go from
 * row to row, Enter opens one.
 */
export function DataTable<Row>({ label, columns, list, rowId, onOpen, empty }: DataTableProps<Row>): ReactNode {
  const { rows, hasMore, isLoading, error, emptyPages, loadMore } = list;
  const body = useRef<HTMLDivElement>(null);
  const [offsetPx, setOffsetPx] = useState(0);
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, object>();
    return helper.columns(columns.map(({ id, header }) => helper.display({ id, header })));
  }, [columns]);
  // The table keeps objects by identity; what a row is, only its columns know.
  const data = rows as unknown as object[];
  const table = useTable({ features, columns: definitions, data, getRowId: (row) => rowId(row as Row) });
  const tableRows = table.getRowModel().rows;
  // Another function would have all rows measured again, at each step of scrolling.
  const getItemKey = useCallback((index: number) => tableRows[index]?.id ?? index, [tableRows]);
  const virtualizer = useWindowVirtualizer({
    count: tableRows.length,
    estimateSize: () => rowPx,
    overscan,
    scrollMargin: offsetPx,
    getItemKey,
  });
  const items = virtualizer.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? -1;
  const place: RowPlace = useRowKeys({
    count: rows.length,
    body,
    scrollTo: (index) => virtualizer.scrollToIndex(index),
    onOpen: (index) => {
      const row = rows[index];
      if (row !== undefined) onOpen?.(row);
    },
  });

  useLayoutEffect(() => {
    // What stands above may have grown meanwhile.
    setOffsetPx((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, [rows.length]);
  useEffect(() => {
    const isNear = lastShown >= rows.length - aheadRows;
    if (isNear && hasMore && !isLoading && error === null && emptyPages < emptyPagesMax) loadMore();
  });

  const isEmpty = rows.length === 0 && !hasMore && !isLoading && error === null;
  if (isEmpty) return empty;
  return (
    <div>
      <div
        role="grid"
        aria-label={label}
        aria-readonly="true"
        aria-busy={isLoading}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        className={styles.grid}
        style={tracksOf(columns)}
      >
        <div role="rowgroup" className={styles.head}>
          <div role="row" aria-rowindex={1} className={styles.row}>
            {columns.map((column) => (
              <div key={column.id} role="columnheader" className={cellClass(column)}>
                {column.header}
              </div>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          ref={body}
          className={styles.body}
          style={{ height: virtualizer.getTotalSize() }}
          onKeyDown={place.onKeyDown}
        >
          {items.map(({ index, key, start }) => {
            const row = tableRows[index];
            return row === undefined ? null : (
              <DataRow
                key={key}
                row={row.original as Row}
                columns={columns}
                index={index}
                topPx={start - offsetPx}
                isStop={index === place.at}
                onFocus={place.moveTo}
                onOpen={onOpen}
              />
            );
          })}
        </div>
      </div>
      <TableEnd list={list} isSearchLong={emptyPages >= emptyPagesMax} />
    </div>
  );
}
