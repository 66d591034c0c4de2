import fc from 'fast-check';
import { collectGarbage } from '#test-support';
import type { CallFailure, PassPage } from '#gateway/core';
import { GatewayError } from '#gateway/core';
import { PagedPasses, type PageNumbers, type ReadPage } from './paged-passes.js';

const numbers: PageNumbers = { pageSize: 2, startPage: 1, pagesMax: 1_000, rowsBefore: 0 };

/** Passes 1 to `count`. */
const passes = (count: number): { passId: number }[] =>
  Array.from({ length: count }, (_, index) => ({ passId: index + 1 }));

const page = (rows: readonly object[], change: Partial<ReadPage> = {}): ReadPage => ({
  rows,
  passes: rows,
  pageNumber: null,
  pageSize: 2,
  totalCount: null,
  alarms: [],
  ...change,
});

interface FakePartner {
  readonly rows: readonly object[];
  readonly pageSize?: number;
  readonly totalCount?: number | null;
  /** What a number behind the last page brings. */
  readonly behind?: 'empty' | 'refused' | 'last-page' | 'error';
}

const failure = (code: string, stage: CallFailure['stage'] = 'answer'): GatewayError =>
  new GatewayError({ stage, code, retryAfterMs: null });

function fakePages({ rows, pageSize = 2, totalCount = rows.length, behind = 'empty' }: FakePartner): {
  readonly fetchPage: (pageNumber: number) => Promise<ReadPage>;
  readonly asked: number[];
} {
  const asked: number[] = [];
  const last = Math.max(1, Math.ceil(rows.length / pageSize));
  const show = (number: number): ReadPage =>
    page(rows.slice((number - 1) * pageSize, number * pageSize), { pageSize, totalCount, pageNumber: number });
  const fetchPage = async (pageNumber: number): Promise<ReadPage> => {
    asked.push(pageNumber);
    if (pageNumber <= last || behind === 'empty') return show(pageNumber);
    if (behind === 'last-page') return { ...show(last), pageNumber };
    throw behind === 'refused' ? failure('http-404') : failure('http-503');
  };
  return { fetchPage, asked };
}

async function drain(listing: PagedPasses): Promise<{ ids: unknown[]; error: unknown }> {
  const ids: unknown[] = [];
  try {
    for await (const { passId } of listing) ids.push(passId);
    return { ids, error: null };
  } catch (error) {
    return { ids, error };
  }
}

describe('PagedPasses', () => {
  it.each([
    [0, [1]],
    [1, [1]],
    [2, [1, 2]],
    [3, [1, 2]],
    [5, [1, 2, 3]],
  ])('lists %d passes and then ends', async (count, asked) => {
    const partner = fakePages({ rows: passes(count) });
    const listing = new PagedPasses({ numbers, fetchPage: partner.fetchPage });
    expect(await drain(listing)).toEqual({ ids: passes(count).map(({ passId }) => passId), error: null });
    expect(partner.asked).toEqual(asked);
    expect(listing.summary).toMatchObject({ end: 'complete', rows: count, totalCount: count, agrees: true });
  });

  it.each(['empty', 'refused', 'last-page'] as const)('full last page, and behind it: %s', async (behind) => {
    const listing = new PagedPasses({ numbers, fetchPage: fakePages({ rows: passes(4), behind }).fetchPage });
    expect(await drain(listing)).toEqual({ ids: [1, 2, 3, 4], error: null });
    expect(listing.summary).toMatchObject({ end: 'complete', rows: 4, agrees: true });
  });

  it('trouble behind a full last page is trouble: the count may lie', async () => {
    const listing = new PagedPasses({ numbers, fetchPage: fakePages({ rows: passes(4), behind: 'error' }).fetchPage });
    expect(await drain(listing)).toMatchObject({ ids: [1, 2, 3, 4], error: { stage: 'answer', code: 'http-503' } });
    expect(listing.summary).toMatchObject({ end: 'failed', rows: 4, nextPage: 3, agrees: null });
  });

  it.each([
    ['too low', 3, false],
    ['zero', 0, false],
    ['too high', 50, false],
    ['missing', null, null],
  ])(
    'a totalCount that is %s: every pass is listed, and the end says that they disagree',
    async (_, totalCount, agrees) => {
      const listing = new PagedPasses({ numbers, fetchPage: fakePages({ rows: passes(9), totalCount }).fetchPage });
      expect((await drain(listing)).ids).toHaveLength(9);
      expect(listing.summary).toMatchObject({ end: 'complete', rows: 9, totalCount, agrees });
    },
  );

  it('a partner with smaller pages than asked for', async () => {
    const partner = fakePages({ rows: passes(5), pageSize: 2 });
    const listing = new PagedPasses({ numbers: { ...numbers, pageSize: 100 }, fetchPage: partner.fetchPage });
    expect((await drain(listing)).ids).toEqual([1, 2, 3, 4, 5]);
    expect(listing.summary.agrees).toBe(true);
  });

  it('a partner that does not understand the page number: the same page for ever', async () => {
    let asked = 0;
    const fetchPage = async (): Promise<ReadPage> => {
      asked += 1;
      return page(passes(2), { totalCount: 1_000 });
    };
    const listing = new PagedPasses({ numbers, fetchPage });
    expect(await drain(listing)).toMatchObject({ ids: [1, 2], error: { stage: 'answer', code: 'page-repeated' } });
    expect(asked).toBe(2);
    expect(listing.summary).toMatchObject({ end: 'failed', rows: 2, pages: 1, nextPage: 2 });
  });

  it('a partner that goes in a circle', async () => {
    const fetchPage = async (pageNumber: number): Promise<ReadPage> =>
      page([{ passId: pageNumber % 3 }, { passId: 10 }], { totalCount: 1_000 });
    expect((await drain(new PagedPasses({ numbers, fetchPage }))).error).toMatchObject({ code: 'page-repeated' });
  });

  it('a partner without an end: given up at the limit', async () => {
    const fetchPage = async (number: number): Promise<ReadPage> =>
      page([{ passId: 2 * number }, { passId: 2 * number + 1 }], { totalCount: 1e9 });
    const listing = new PagedPasses({ numbers: { ...numbers, pagesMax: 25 }, fetchPage });
    const { ids, error } = await drain(listing);
    expect([ids.length, error]).toMatchObject([50, { stage: 'answer', code: 'too-many-pages' }]);
    expect(listing.summary).toMatchObject({ end: 'failed', pages: 25, nextPage: 26 });
  });

  it('asks for no page before it is wanted, and for none after it is left', async () => {
    const partner = fakePages({ rows: passes(9) });
    const listing = new PagedPasses({ numbers, fetchPage: partner.fetchPage });
    expect(partner.asked).toEqual([]);
    for await (const { passId } of listing) if (passId === 3) break;
    expect(partner.asked).toEqual([1, 2]);
    expect(listing.summary).toMatchObject({ end: 'open', rows: 4, agrees: null, nextPage: 3 });
  });

  it('goes page by page, too', async () => {
    const listing = new PagedPasses({ numbers, fetchPage: fakePages({ rows: passes(3) }).fetchPage });
    const seen: PassPage[] = [];
    for await (const each of listing.pages()) seen.push(each);
    expect(seen).toEqual([
      { pageNumber: 1, passes: [{ passId: 1 }, { passId: 2 }], totalCount: 3 },
      { pageNumber: 2, passes: [{ passId: 3 }], totalCount: 3 },
    ]);
  });

  it('begins in the middle', async () => {
    const partner = fakePages({ rows: passes(5) });
    const middle = { ...numbers, startPage: 2, rowsBefore: 2 };
    const listing = new PagedPasses({ numbers: middle, fetchPage: partner.fetchPage });
    expect((await drain(listing)).ids).toEqual([3, 4, 5]);
    expect(listing.summary).toMatchObject({ end: 'complete', rows: 3, totalCount: 5, agrees: true });
  });

  it('counts rows that cannot be read, keeps alarms once, and notices another page number', async () => {
    const fetchPage = async (): Promise<ReadPage> =>
      page([1, 2] as never, { passes: [], alarms: ['data'], totalCount: 2, pageNumber: 7, pageSize: 10 });
    const listing = new PagedPasses({ numbers: { ...numbers, pageSize: 10 }, fetchPage });
    expect((await drain(listing)).ids).toEqual([]);
    expect(listing.summary).toMatchObject({
      rows: 2,
      unreadableRows: 2,
      agrees: true,
      shapeAlarms: ['data', 'pageNumber'],
    });
  });

  it('lets a page go before it fetches the next', async () => {
    const given: WeakRef<object>[] = [];
    const held: number[] = [];
    const fetchPage = async (number: number): Promise<ReadPage> => {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
      held.push(given.filter((reference) => reference.deref() !== undefined).length);
      const fetched = page([{ passId: 2 * number }, { passId: 2 * number + 1 }].slice(0, number < 4 ? 2 : 1));
      given.push(new WeakRef(fetched), new WeakRef(fetched.rows));
      return fetched;
    };
    const listing = new PagedPasses({ numbers, fetchPage });
    expect((await drain(listing)).error).toBeNull();
    expect(held).toEqual([0, 0, 0, 0]);
  });

  it('can be iterated once', async () => {
    const listing = new PagedPasses({ numbers, fetchPage: fakePages({ rows: [] }).fetchPage });
    await drain(listing);
    expect(() => listing.pages()).toThrow(TypeError);
  });

  it('whatever the partner counts: ends, lists each pass once and in order, and claims agreement only when it is so', async () => {
    const partner = fc.record({
      count: fc.nat(40),
      pageSize: fc.integer({ min: 1, max: 12 }),
      totalCount: fc.option(fc.nat(60)),
      behind: fc.constantFrom('empty' as const, 'refused' as const, 'last-page' as const),
    });
    await fc.assert(
      fc.asyncProperty(partner, fc.integer({ min: 1, max: 12 }), async ({ count, totalCount, ...rest }, asked) => {
        const rows = passes(count);
        const { fetchPage } = fakePages({ rows, totalCount, ...rest });
        const listing = new PagedPasses({ numbers: { ...numbers, pageSize: asked }, fetchPage });
        const { ids, error } = await drain(listing);
        const all = rows.map(({ passId }) => passId);
        expect(ids).toEqual(all.slice(0, ids.length));
        expect(listing.summary.rows).toBe(ids.length);
        if (error === null) expect(listing.summary).toMatchObject({ end: 'complete' });
        if (error === null && listing.summary.agrees === true) expect(ids).toHaveLength(Number(totalCount));
        const isHonest = totalCount === count && rest.pageSize <= asked;
        if (isHonest) expect([ids, error]).toEqual([all, null]);
      }),
    );
  });
});
