import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import {
  type CSSProperties,
  memo,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
} from 'react';

import type { Pages } from '../api/use-pages.js';
import styles from './data-table.module.css';
import { useListPlace } from './list-place.js';
import { hrefOf } from './row-link.js';
import { TableEnd } from './table-end.js';
import { useIsNarrow } from './use-is-narrow.js';
import { type RowPlace, useRowKeys } from './use-row-keys.js';
import { useRowWindow } from './use-row-window.js';

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
  /** The list is in its order, which can be turned round. */
  readonly sort?: { readonly isAscending: boolean; readonly onTurn: () => void };
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
  /** The path of what is opened, not encoded: with Ctrl or the middle button it opens in a tab of its own. Outside the component. */
  readonly pathOf?: (row: Row) => readonly string[];
  /** On a phone, below the columns that have room there: what the others say. Outside the component, or memoized. */
  readonly secondLine?: (row: Row) => ReactNode;
  /** Where there are none, for all that was read then, epoch ms. */
  readonly empty: (readAtMs: number) => ReactNode;
}

/** As the style sheet has it. */
const rowPx = { one: 32, two: 52 } as const;
/** So many rows before the end the next page is asked for. */
const aheadRows = 120;
/** Then somebody must say that they want to search on. */
const emptyPagesMax = 20;
const features = tableFeatures({});
const isInteractive = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button, input, select, label') !== null;

function tracksOf<Row>(columns: readonly Column<Row>[]): CSSProperties {
  // Half of a number is another one: a column of them is as wide as it needs.
  const trackOf = ({ width, align }: Column<Row>): string =>
    align === 'end' && width.endsWith('px') ? `minmax(${width}, max-content)` : width;
  const widths = (some: readonly Column<Row>[]): string => some.map(trackOf).join(' ');
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
  /** One comes back from it. */
  readonly isOpened: boolean;
  /** Null where there is none. */
  readonly secondLine: ((row: Row) => ReactNode) | null;
  readonly onFocus: (index: number) => void;
  readonly onOpen: ((row: Row) => void) | undefined;
  readonly pathOf: ((row: Row) => readonly string[]) | undefined;
}

const middleButton = 1;

function PlainRow<Row>(props: DataRowProps<Row>): ReactNode {
  const { row, columns, index, topPx, isStop, isOpened, secondLine, onFocus, onOpen, pathOf } = props;
  const open = (event: MouseEvent): void => {
    // Who marks a text to copy it goes nowhere.
    if (isInteractive(event.target) || getSelection()?.isCollapsed === false) return;
    const isElsewhere = event.ctrlKey || event.metaKey || event.button === middleButton;
    if (!isElsewhere) onOpen?.(row);
    else if (pathOf !== undefined) window.open(hrefOf(pathOf(row)), '_blank', 'noopener');
  };
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      tabIndex={isStop ? 0 : -1}
      className={`${styles.row} ${styles.line}`}
      data-opens={onOpen !== undefined}
      data-opened={isOpened}
      data-lines={secondLine === null ? 1 : 2}
      style={{ transform: `translateY(${topPx}px)` }}
      onFocus={() => onFocus(index)}
      onClick={open}
      onAuxClick={(event) => {
        if (event.button === middleButton) open(event);
      }}
    >
      {columns.map((column) => (
        <div key={column.id} role="gridcell" className={cellClass(column)}>
          {column.cell(row)}
        </div>
      ))}
      {secondLine === null ? null : (
        <div role="gridcell" className={`${styles.cell} ${styles.second}`}>
          {secondLine(row)}
        </div>
      )}
    </div>
  );
}

/** Scrolling draws only what comes into sight. */
const DataRow = memo(PlainRow) as typeof PlainRow;

function sortOf<Row>({ sort }: Column<Row>): 'ascending' | 'descending' | undefined {
  return sort === undefined ? undefined : sort.isAscending ? 'ascending' : 'descending';
}

interface HeadCellProps {
  readonly header: string;
  readonly sort: Column<never>['sort'];
}

function HeadCell({ header, sort }: HeadCellProps): ReactNode {
  if (sort === undefined) return header;
  return (
    <button type="button" data-kind="plain" className={styles.sort} onClick={sort.onTurn}>
      {header} <span aria-hidden="true">{sort.isAscending ? '↑' : '↓'}</span>
    </button>
  );
}

function Head<Row>({ columns }: { readonly columns: readonly Column<Row>[] }): ReactNode {
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" aria-rowindex={1} className={styles.row}>
        {columns.map((column) => (
          <div key={column.id} role="columnheader" className={cellClass(column)} aria-sort={sortOf(column)}>
            <HeadCell header={column.header} sort={column.sort} />
          </div>
        ))}
      </div>
    </div>
  );
}

/** The rows in sight as rows of a table: those that are out of sight would be gone through at each step of scrolling. */
function useShownRows<Row>(
  { columns, rowId, list: { rows } }: Pick<DataTableProps<Row>, 'columns' | 'rowId' | 'list'>,
  { first, end }: { readonly first: number; readonly end: number },
): readonly { readonly id: string; readonly row: Row }[] {
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, object>();
    return helper.columns(columns.map(({ id, header }) => helper.display({ id, header })));
  }, [columns]);
  // The table keeps objects by identity; what a row is, only its columns know.
  const data = useMemo(() => {
    const shown = Array.from({ length: Math.max(0, end - first) }, (_, offset) => rows.at(first + offset));
    return shown.filter((row) => row !== undefined) as object[];
  }, [rows, first, end]);
  const table = useTable({ features, columns: definitions, data, getRowId: (row) => rowId(row as Row) });
  return table.getRowModel().rows.map(({ id, original }) => ({ id, row: original as Row }));
}

/** The place of a row in the page, from anything in it; null: it is in none. */
function rowIndexOf(target: EventTarget): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;
  return row === null ? null : Number(row.dataset.row);
}

/**
 * A long list: only what is in sight is in the page, the rest is read while one scrolls. Arrow keys, or j and k, go from
 * row to row, Enter opens one. Who comes back from a row is at it again.
 */
export function DataTable<Row>(props: DataTableProps<Row>): ReactNode {
  const { label, columns, list, rowId, onOpen, pathOf, empty } = props;
  const { rows, readAtMs, hasMore, isLoading, error, emptyPages, loadMore } = list;
  const body = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow();
  const secondLine = isNarrow ? (props.secondLine ?? null) : null;
  const heightPx = secondLine === null ? rowPx.one : rowPx.two;
  const keys: RowPlace = useRowKeys({
    count: rows.length,
    body,
    scrollTo: (index) => {
      const top = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
      window.scrollTo({ top: top + index * heightPx - window.innerHeight / 2 });
    },
    onOpen: (index) => {
      const row = rows.at(index);
      if (row === undefined) return;
      keepPlace(index);
      onOpen?.(row);
    },
  });
  const { openedId, keepPlace } = useListPlace({ label, body, rows, rowId, rowPx: heightPx, onBack: keys.focus });
  const inSight = useRowWindow({ body, count: rows.length, rowPx: heightPx });
  const { first, end } = inSight;
  const shown = useShownRows(props, inSight);
  // Of another function all rows would be drawn anew, at each step of scrolling.
  const latestOpen = useRef(onOpen);
  useEffect(() => {
    latestOpen.current = onOpen;
  });
  const open = useCallback((row: Row) => latestOpen.current?.(row), []);
  const tracks = useMemo(() => tracksOf(columns), [columns]);

  useEffect(() => {
    const isNear = end >= rows.length - aheadRows;
    if (isNear && hasMore && !isLoading && error === null && emptyPages < emptyPagesMax) loadMore();
  });

  const isEmpty = rows.length === 0 && !hasMore && !isLoading && error === null;
  if (isEmpty && readAtMs !== null) return empty(readAtMs);
  return (
    <div>
      <div
        role="grid"
        aria-label={label}
        aria-readonly="true"
        aria-busy={isLoading}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        className={styles.grid}
        style={tracks}
      >
        <Head columns={columns} />
        <div
          role="rowgroup"
          ref={body}
          className={styles.body}
          style={{ height: rows.length * heightPx }}
          onKeyDown={keys.onKeyDown}
          onClickCapture={(event) => {
            const index = rowIndexOf(event.target);
            if (index !== null) keepPlace(index);
          }}
        >
          {shown.map(({ id, row }, offset) => {
            const index = first + offset;
            return (
              <DataRow
                key={id}
                row={row}
                columns={columns}
                index={index}
                topPx={index * heightPx}
                isStop={index === keys.at}
                isOpened={id === openedId}
                secondLine={secondLine}
                onFocus={keys.moveTo}
                onOpen={onOpen === undefined ? undefined : open}
                pathOf={pathOf}
              />
            );
          })}
        </div>
      </div>
      <TableEnd list={list} isSearchLong={emptyPages >= emptyPagesMax} />
    </div>
  );
}
