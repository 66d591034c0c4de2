import { headChange, type IntentPage, type IntentRow, mergeHead } from './live-head.js';

const row = (at: number, status: IntentRow['status'] = 'pending'): IntentRow =>
  ({
    id: `tea~m~${at}`,
    recordedAt: `2026-11-27T00:00:0${at}Z`,
    status,
    since: null,
    reason: null,
    code: null,
  }) as IntentRow;

const page = (rows: readonly IntentRow[], nextCursor: string | null = 'more'): IntentPage => ({
  items: [...rows],
  nextCursor,
});

const idsOf = (pages: readonly IntentPage[]): string[] => pages.flatMap(({ items }) => items.map(({ id }) => id));

describe('the newest page among what is shown', () => {
  it('adds new rows above, and shows others as they stand now', () => {
    const shown = [page([row(4), row(3)]), page([row(2)], null)];
    const head = page([row(5), row(4, 'delivered'), row(3)]);
    expect(headChange(shown, head)).toEqual({ newRows: 1, isMore: false });
    const merged = mergeHead(shown, head);
    expect(idsOf(merged)).toEqual(['tea~m~5', 'tea~m~4', 'tea~m~3', 'tea~m~2']);
    expect(merged[0]?.items[1]?.status).toBe('delivered');
  });

  it('shows another attempt of what stands as it stood', () => {
    const [tried] = mergeHead([page([row(1)], null)], page([{ ...row(1), attemptCount: 2 }], null));
    expect(tried?.items[0]?.attemptCount).toBe(2);
  });

  it('leaves out what fits no more, as far as it looked', () => {
    const shown = [page([row(4), row(3), row(2)])];
    expect(idsOf(mergeHead(shown, page([row(5), row(3)])))).toEqual(['tea~m~5', 'tea~m~3', 'tea~m~2']);
    expect(idsOf(mergeHead(shown, page([row(3)], null)))).toEqual(['tea~m~3']);
  });

  it('puts in its place what fits since it was read', () => {
    const shown = [page([row(4), row(2), row(1)])];
    expect(idsOf(mergeHead(shown, page([row(4), row(3), row(2)])))).toEqual([4, 3, 2, 1].map((at) => `tea~m~${at}`));
  });

  it('looks at no page further down than the newest reaches', () => {
    const many = (from: number): IntentPage => page(Array.from({ length: 200 }, (_, index) => row(from - index)));
    const shown = [many(1_000), many(800), many(600), many(400)];
    const merged = mergeHead(shown, page([row(1_001), row(1_000)]));
    expect(idsOf(merged)).toEqual([`tea~m~1001`, ...idsOf(shown)]);
    expect(merged.slice(-2)).toEqual(shown.slice(-2));
    expect(merged.at(-1)).toBe(shown.at(-1));
  });

  it('compares as much however many rows have come', () => {
    let shown: readonly IntentPage[] = [page([row(1)], null)];
    for (let at = 2; at < 1_500; at += 50) {
      shown = mergeHead(shown, page(Array.from({ length: 51 }, (_, index) => row(at + 49 - index))));
    }
    expect(new Set(idsOf(shown)).size).toBe(idsOf(shown).length);
    expect(shown[0]?.items.length).toBeLessThanOrEqual(801);
  });

  it('begins anew where others may lie between', () => {
    const shown = [page([row(2), row(1)])];
    const head = page([row(6), row(5)]);
    expect(headChange(shown, head)).toEqual({ newRows: 2, isMore: true });
    expect(mergeHead(shown, head)).toEqual([head]);
  });

  it('changes nothing where nothing has changed', () => {
    const shown = [page([row(2), row(1)])];
    expect(mergeHead(shown, page([row(2), row(1)]))).toBe(shown);
  });
});
