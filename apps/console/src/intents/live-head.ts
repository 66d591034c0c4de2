import type { Answer } from '../api/api-types.js';

export type IntentPage = Answer<'/intents'>;
export type IntentRow = IntentPage['items'][number];

/** All pages that were read, the newest first. */
type IntentPages = readonly IntentPage[];

/** As many as one request asks for. */
export const pageRows = 200;

/** So many rows are compared with the newest page, however long the list is. */
const comparedRows = 2 * pageRows;

const marksOf = ({ status, since, reason, code, attemptCount }: IntentRow): string =>
  JSON.stringify([status, since, reason, code, attemptCount]);

/** The pages on top that hold the rows to compare, and those below, which stay as they are. */
function topOf(pages: IntentPages): { readonly top: readonly IntentRow[]; readonly topPages: number } {
  const top: IntentRow[] = [];
  let topPages = 0;
  for (; topPages < pages.length && top.length < comparedRows; topPages += 1) {
    top.push(...(pages[topPages]?.items ?? []));
  }
  return { top, topPages };
}

const idsOf = (rows: readonly IntentRow[]): ReadonlySet<string> => new Set(rows.map(({ id }) => id));

/** How the newest page differs from what is shown. */
interface HeadChange {
  /** Rows that are not shown yet. */
  readonly newRows: number;
  /** There are more than that: the newest page is full and none of it is shown. */
  readonly isMore: boolean;
}

/** Whether none of the newest page is shown: between the two others may lie. */
function hasGap(top: ReadonlySet<string>, head: IntentPage): boolean {
  return top.size > 0 && head.nextCursor !== null && head.items.every(({ id }) => !top.has(id));
}

export function headChange(pages: IntentPages, head: IntentPage): HeadChange {
  const shown = idsOf(topOf(pages).top);
  const newRows = head.items.filter(({ id }) => !shown.has(id)).length;
  return { newRows, isMore: newRows > 0 && hasGap(shown, head) };
}

/**
 * The rows on top as they are now. Both lists have one order, so that what stands above the last row that is in both, and
 * is not in the newest page, fits the filter no more; below it the newest page says nothing.
 */
function mergeTop(top: readonly IntentRow[], head: IntentPage): readonly IntentRow[] {
  const inHead = idsOf(head.items);
  const covered = head.nextCursor === null ? top.length : top.findLastIndex(({ id }) => inHead.has(id)) + 1;
  return [...head.items, ...top.slice(covered)];
}

function isSame(top: readonly IntentRow[], merged: readonly IntentRow[]): boolean {
  return (
    top.length === merged.length &&
    top.every((row, index) => {
      const other = merged[index];
      return other?.id === row.id && marksOf(other) === marksOf(row);
    })
  );
}

/**
 * What is shown, with the newest page in it: new rows where they belong, others as they stand now, those that fit no more
 * left out. Where others may lie between the two it begins anew. The same object where nothing differs, so that nothing is
 * drawn. Pages further down are not looked at.
 */
export function mergeHead(pages: IntentPages, head: IntentPage): IntentPages {
  const { top, topPages } = topOf(pages);
  if (hasGap(idsOf(top), head)) return [head];
  const merged = mergeTop(top, head);
  if (isSame(top, merged)) return pages;
  const nextCursor = topPages === 0 ? head.nextCursor : (pages[topPages - 1]?.nextCursor ?? null);
  // The first page grows by what comes: what is compared stays as much.
  const parts =
    merged.length > 2 * comparedRows ? [merged.slice(0, comparedRows), merged.slice(comparedRows)] : [merged];
  return [...parts.map((items) => ({ items: [...items], nextCursor })), ...pages.slice(topPages)];
}
