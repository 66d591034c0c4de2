import { isDrained, settleCurrent } from '#domain';
import type { LaneCursor } from '#domain';
import fc from 'fast-check';

import { testStore } from '../testing/test-store.js';
import type { TestStore } from '../testing/test-store.js';

let store: TestStore;

beforeAll(async () => {
  store = await testStore(1);
});

afterAll(() => store.close());

/** Any cursor that a lane can have: some settled beyond the head, some put back, none of them twice. */
const cursors: fc.Arbitrary<LaneCursor> = fc
  .record({
    marks: fc.array(fc.constantFrom('open', 'settled', 'redo'), { minLength: 1, maxLength: 12 }),
    head: fc.integer({ min: 1, max: 12 }),
    order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
  })
  .map(({ marks, head: wanted, order }) => {
    const tail = marks.length;
    const head = Math.min(wanted, tail);
    const seqs = marks.map((mark, index) => ({ mark, seq: index + 1, rank: order[index] ?? 0 }));
    const redo = seqs.filter(({ mark }) => mark === 'redo').sort((a, b) => a.rank - b.rank);
    const ahead = seqs.filter(({ mark, seq }) => mark === 'settled' && seq > head);
    return {
      head,
      tail,
      current: redo[0]?.seq ?? head,
      redo: redo.map(({ seq }) => seq),
      ahead: ahead.map(({ seq }) => seq),
    };
  });

interface Settled {
  readonly head: number;
  readonly redo: number[];
  readonly ahead: number[];
}

async function settleInSql(cursor: LaneCursor): Promise<LaneCursor> {
  const [row] = await store.sql<Settled>(
    `SELECT lane_settled_head($1::int, $2::int, $3::int[]) AS head, lane_settled_ahead($1::int, $2::int, $3::int[]) AS ahead,
       lane_settled_redo($2::int, $4::int[]) AS redo`,
    cursor.head,
    cursor.current,
    cursor.ahead,
    cursor.redo,
  );
  const { head, redo, ahead } = row!;
  return { head, redo, ahead, tail: cursor.tail, current: redo[0] ?? head };
}

describe('the lane functions of the database', () => {
  it('settle the current intent exactly as the domain does', async () => {
    await fc.assert(
      fc.asyncProperty(cursors, async (cursor) => {
        fc.pre(!isDrained(cursor));
        expect(await settleInSql(cursor)).toEqual(settleCurrent(cursor));
      }),
      { numRuns: 300 },
    );
  });

  it('walk a lane to its end exactly as the domain does', async () => {
    await fc.assert(
      fc.asyncProperty(cursors, async (start) => {
        let cursor = start;
        while (!isDrained(cursor)) {
          const next = await settleInSql(cursor);
          expect(next).toEqual(settleCurrent(cursor));
          cursor = next;
        }
        expect(cursor).toMatchObject({ redo: [], ahead: [] });
      }),
      { numRuns: 60 },
    );
  });

  it('settle within milliseconds at the bound of a thousand settled ahead', async () => {
    const ahead = Array.from({ length: 1_000 }, (_, index) => index + 2);
    expect(await settleInSql({ head: 1, tail: 1_001, current: 1, redo: [], ahead })).toMatchObject({
      head: 1_002,
      ahead: [],
    });
  });
});
