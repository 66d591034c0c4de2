import { isDrained, laneDetoursMax, mayOvertake, overtakenBy, settleCurrent } from '#intents/core';
import type { LaneCursor } from '#intents/core';
import fc from 'fast-check';

import { testStore } from '../../testing/test-store.js';
import type { TestStore } from '../../testing/test-store.js';

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

async function overtakenInSql(
  { head, current, redo, ahead }: LaneCursor,
  seq: number,
): Promise<{ readonly overtakes: boolean; readonly overtaken: number }> {
  const [row] = await store.sql<{ overtakes: boolean; overtaken: number }>(
    `SELECT lane_overtakes($1::int, $2::int, $3::int, $4::int[], $5::int[]) AS overtakes,
       lane_overtaken($1::int, $3::int, $4::int[], $5::int[]) AS overtaken`,
    ...[seq, current, head, redo, ahead],
  );
  return row!;
}

describe('the lane functions of the database', () => {
  it('let an enrolment overtake, and count who was overtaken, exactly as the domain does', async () => {
    await fc.assert(
      fc.asyncProperty(cursors, fc.integer({ min: 1, max: 14 }), async (cursor, seq) => {
        expect(await overtakenInSql(cursor, seq)).toEqual({
          overtakes: mayOvertake(cursor, seq),
          overtaken: overtakenBy(cursor, seq),
        });
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['one detour less than the bound', laneDetoursMax - 1, true],
    ['as many detours as the bound', laneDetoursMax, false],
  ])('let an enrolment overtake behind %s: %#', async (_name, detours, overtakes) => {
    const redo = Array.from({ length: detours }, (_, index) => index + 1);
    const cursor = { head: 2_000, tail: 2_001, current: 1, redo, ahead: [] };
    expect(mayOvertake(cursor, 2_001)).toBe(overtakes);
    expect(await overtakenInSql(cursor, 2_001)).toMatchObject({ overtakes });
  });

  it('settle the current intent exactly as the domain does', async () => {
    await fc.assert(
      fc.asyncProperty(cursors, async (cursor) => {
        fc.pre(!isDrained(cursor));
        expect(await settleInSql(cursor)).toEqual(settleCurrent(cursor));
      }),
      { numRuns: 300 },
    );
  });

  it('ask for overtaking without a call for every row: the planner takes the question into the statement', async () => {
    const rows = await store.sql<{ 'QUERY PLAN': string }>(
      `EXPLAIN (VERBOSE) SELECT lane_id FROM lane WHERE lane_overtakes(tail_seq + issue_seq, cur_seq, head_seq, redo, ahead)`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('cardinality(lane.redo) < 1000');
    expect(plan).not.toContain('lane_overtakes');
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
