import pg from 'pg';

import { now, originalOf, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { QuarantineFilter, QuarantinePageRequest } from './quarantine-repository.js';
import {
  browseReasonStatement,
  browseSourceStatement,
  browseStatement,
  recordsLookedMax,
  tallyStatement,
  QuarantineRepository,
} from './quarantine-repository.js';
import { QuarantineSettlements } from './quarantine-settlements.js';

const nobody = { source: null, store: null, program: null };
const all: QuarantineFilter = {
  ...{ reason: null, topic: null, detail: null, from: null, to: null },
  ...nobody,
};
const hour = 3_600_000;
const nothing = 'NULL, NULL, NULL, NULL, NULL';
/** Neither a cause nor a name. */
const ofAny = 'NULL, NULL, NULL';

describe('records set aside', () => {
  let store: TestStore;
  let quarantine: QuarantineRepository;

  beforeAll(async () => {
    store = await testStore(2);
    quarantine = new QuarantineRepository(store.database, store.keys);
    const till = new Till(store);
    for (const [offset, [reason, detail, origin]] of (
      [
        ['invalid', 'data.total: required', { source: '/till', store: 'berlin', program: 'coffee' }],
        ['invalid', 'data.100%_: odd', { source: '/till', store: null, program: 'coffee' }],
        ['unreadable', 'value: not JSON'],
        ['invalid', 'data.total: required', { source: '/till', store: 'berlin', program: 'tea' }],
        ['conflict', 'number: another total', { source: '/web', store: null, program: 'tea' }],
      ] as const
    ).entries()) {
      const verdict = { kind: 'quarantine', reason, detail } as const;
      const record = { original: originalOf('x', offset), verdict };
      await till.recordPrepared([origin === undefined ? record : { ...record, origin }], now + offset * hour);
    }
    const audit = { at: now, actor: 'ada', address: null, reason: 'of no use' };
    await new QuarantineSettlements(store.database, store.keys).discard({ quarantineId: 4, audit });
  });

  afterAll(() => store.close());

  async function ids(request: Partial<QuarantinePageRequest>): Promise<number[]> {
    const page = { ...all, state: 'open', before: null, limit: 10, ...request } as const;
    return (await quarantine.browse(page)).items.map(({ quarantineId }) => quarantineId);
  }

  it.each<[Partial<QuarantinePageRequest>, number[]]>([
    [{}, [5, 3, 2, 1]],
    [{ state: 'discarded' }, [4]],
    [{ state: 'any' }, [5, 4, 3, 2, 1]],
    [{ state: 'any', source: '/till' }, [4, 2, 1]],
    [{ state: 'any', source: '/till', before: 4, limit: 1 }, [2]],
    [{ state: 'resubmitted' }, []],
    [{ reason: 'invalid' }, [2, 1]],
    [{ detail: 'data.total' }, [1]],
    [{ detail: '100%_' }, [2]],
    [{ detail: '%' }, [2]],
    [{ topic: 'loyalty.purchases' }, [5, 3, 2, 1]],
    [{ topic: 'elsewhere' }, []],
    [{ from: now + hour }, [5, 3, 2]],
    [{ to: now + hour }, [1]],
    [{ from: now + hour, to: now + 2 * hour }, [2]],
    [{ source: '/till' }, [2, 1]],
    [{ source: '/till', before: 2 }, [1]],
    [{ source: '/till', state: 'discarded' }, [4]],
    [{ source: '/tills' }, []],
    [{ source: '' }, [3]],
    [{ source: '/till', store: 'berlin' }, [1]],
    [{ source: '/till', store: '' }, [2]],
    [{ store: '' }, [5, 3, 2]],
    [{ program: 'coffee' }, [2, 1]],
    [{ source: '/till', detail: '100%_' }, [2]],
    [{ limit: 2 }, [5, 3]],
    [{ limit: 2, before: 2 }, [1]],
  ])('are found by %j, the newest first', async (request, expected) => {
    expect(await ids(request)).toEqual(expected);
  });

  it('say who sent them, as far as they do', async () => {
    const request = { ...all, state: 'open', before: null, limit: 10 } as const;
    const { items: records } = await quarantine.browse(request);
    expect(records.map(({ source, store: shop, program }) => [source, shop, program])).toEqual([
      ['/web', null, 'tea'],
      [null, null, null],
      ['/till', null, 'coffee'],
      ['/till', 'berlin', 'coffee'],
    ]);
  });

  it('are counted by why they were refused and by who sent them, the most first, while they are open', async () => {
    expect(await quarantine.tally(all)).toEqual({
      ...{ count: 4, isExact: true },
      byReason: [
        { reason: 'invalid', count: 2 },
        { reason: 'conflict', count: 1 },
        { reason: 'unreadable', count: 1 },
      ],
      bySource: [
        { source: '/till', count: 2 },
        { source: '/web', count: 1 },
        { source: null, count: 1 },
      ],
    });
    expect(await quarantine.tally({ ...all, program: 'coffee', detail: 'total' })).toEqual({
      ...{ count: 1, isExact: true },
      byReason: [{ reason: 'invalid', count: 1 }],
      bySource: [{ source: '/till', count: 1 }],
    });
    const nothing = { count: 0, isExact: true, byReason: [], bySource: [] };
    expect(await quarantine.tally({ ...all, topic: 'elsewhere' })).toEqual(nothing);
  });

  it.each([
    ['quarantine_state', browseStatement, `${nothing}, NULL, NULL, NULL, ${ofAny}, 'open', 9000000000000000, 50`],
    [
      'quarantine_by_source',
      browseSourceStatement,
      `${nothing}, '/till', NULL, NULL, ${ofAny}, 'open', 9000000000000000, 50`,
    ],
    [
      'quarantine_by_reason',
      browseReasonStatement,
      `'invalid', NULL, NULL, NULL, NULL, NULL, NULL, NULL, ${ofAny}, 'open', 900, 50`,
    ],
    ['quarantine_state', tallyStatement, `${nothing}, NULL, NULL, NULL, ${ofAny}`],
  ] as const)('are read in the order of %s, however many there are', async (index, { name, text }, parameters) => {
    const client = new pg.Client({ connectionString: store.url });
    await client.connect();
    // A table this small is read whole otherwise.
    await client.query(
      'SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan',
    );
    await client.query(`PREPARE ${name} AS ${text}`);
    const { rows } = await client.query<Record<'QUERY PLAN', string>>(`EXPLAIN EXECUTE ${name} (${parameters})`);
    await client.end();
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(new RegExp(`using ${index} on quarantine`));
    expect(plan).not.toMatch(/Seq Scan on quarantine q/);
    const looked = /CTE looked([\s\S]*?)(?:CTE|InitPlan)/.exec(plan)?.[1] ?? plan;
    expect(looked).not.toContain('Sort Key: q.');
  });

  describe('among very many others', () => {
    const others = recordsLookedMax + 100;

    beforeAll(async () => {
      await store.sql(
        `INSERT INTO quarantine (state, reason, detail, topic, partition, kafka_offset, sealed_headers, value_bytes, broker_at,
           recorded_at, source)
         SELECT q.state, 'unreadable', 'value: not JSON', q.topic, q.partition, 1000 + g, q.sealed_headers, q.value_bytes, q.broker_at,
           q.recorded_at, '/other'
         FROM quarantine q, generate_series(1, $1::int) AS g WHERE q.quarantine_id = 3`,
        others,
      );
    });

    it('are looked for page by page where little fits', async () => {
      const page = { ...all, state: 'open', limit: 10, detail: 'another total' } as const;
      const { items, next } = await quarantine.browse({ ...page, before: null });
      expect(items).toEqual([]);
      const second = await quarantine.browse({ ...page, before: next });
      expect([second.items.map(({ quarantineId }) => quarantineId), second.next]).toEqual([[5], null]);
    });

    it.each<Partial<QuarantinePageRequest>>([
      { reason: 'conflict' },
      { source: '/web' },
      { source: '/web', state: 'any' },
    ])('are found at once by %j', async (request) => {
      expect(await ids(request)).toEqual([5]);
    });
  });
});
