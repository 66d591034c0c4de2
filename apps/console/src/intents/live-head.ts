import type { Answer } from '../api/api-types.js';

export type IntentPage = Answer<'/intents'>;
export type IntentRow = IntentPage['items'][number];

/** All pages that were read, the newest first. */
type IntentPages = readonly IntentPage[];

/** As many as one request asks for. */
export const pageRows = 200;

const marksOf = ({ status, since, reason, code, attemptCount }: IntentRow): string =>
  JSON.stringify([status, since, reason, code, attemptCount]);

function standsAlike(one: IntentRow | undefined, other: IntentRow): boolean {
  return one !== undefined && marksOf(one) === marksOf(other);
}

/** How the newest page differs from what is shown. */
interface HeadChange {
  /** Rows that are not shown yet. */
  readonly newRows: number;
  /** There are more than that: the newest page is full and none of it is shown. */
  readonly isMore: boolean;
}

const rowsById = (pages: IntentPages): ReadonlyMap<string, IntentRow> =>
  new Map(pages.flatMap(({ items }) => items).map((row) => [row.id, row]));

/** Whether none of the newest page is shown: between the two others may lie. */
function hasGap(known: ReadonlyMap<string, IntentRow>, head: IntentPage): boolean {
  return known.size > 0 && head.nextCursor !== null && head.items.every(({ id }) => !known.has(id));
}

export function headChange(pages: IntentPages, head: IntentPage): HeadChange {
  const known = rowsById(pages);
  const newRows = head.items.filter(({ id }) => !known.has(id)).length;
  return { newRows, isMore: newRows > 0 && hasGap(known, head) };
}

/** Rows as new as those of the newest page, and not in it, fit the filter no more. */
function isOutdated(row: IntentRow, head: IntentPage, inHead: ReadonlyMap<string, IntentRow>): boolean {
  const oldest = head.items.at(-1);
  const isCovered = head.nextCursor === null || (oldest !== undefined && row.recordedAt > oldest.recordedAt);
  return isCovered && !inHead.has(row.id);
}

/**
 * What is shown, with the newest page in it: new rows above, others as they stand now, those that fit no more left out.
 * Where others may lie between the two it begins anew. The same object where nothing differs, so that nothing is drawn.
 */
export function mergeHead(pages: IntentPages, head: IntentPage): IntentPages {
  const known = rowsById(pages);
  if (hasGap(known, head)) return [head];
  const inHead = rowsById([head]);
  const newRows = head.items.filter(({ id }) => !known.has(id));
  const isSame =
    newRows.length === 0 &&
    head.items.every((row) => standsAlike(known.get(row.id), row)) &&
    ![...known.values()].some((row) => isOutdated(row, head, inHead));
  if (isSame) return pages;
  const merged = pages.map((page) => ({
    ...page,
    items: page.items.filter((row) => !isOutdated(row, head, inHead)).map((row) => inHead.get(row.id) ?? row),
  }));
  return merged.map((page, index) => (index === 0 ? { ...page, items: [...newRows, ...page.items] } : page));
}
