import pg from 'pg';

import type { IntentEvent } from '#intents/core';
import type { IntentAction } from '#intents';
import { IntentActionRepository } from '#intents';
import type { Lease, TestStore } from '#intents/testing';
import {
  applied,
  begin,
  claimOne,
  completion,
  laneOf,
  now,
  program,
  purchase,
  record,
  stepOf,
  testStore,
  Till,
  waitForPass,
} from '#intents/testing';
import { SystemClock } from '#platform';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { StatusRepository } from '../stats/intents-by-events.js';
import type { IntentFilter, ListedIntent, ListPage, ListOrder, ListPosition, CandidatePlan } from './list-intents.js';
import { attemptsStatement, IntentRepository, candidateSizes, candidatesStatement } from './list-intents.js';

let store: TestStore;
let till: Till;
const clock = new SystemClock();

beforeAll(async () => {
  store = await testStore(4);
  till = new Till(store);
  for (const [member, live] of Object.entries(lives)) {
    await till.recordAt(now + (clockStep += 1_000), purchase(`${member}-1`, member), purchase(`${member}-2`, member));
    await live();
    await store.sql('UPDATE lane SET due_at = NULL WHERE due_at IS NOT NULL');
  }
});

afterAll(() => store.close());

let clockStep = 0;
const far = now + 3_600_000;
const rejected: IntentEvent = { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' };
const lost: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null };
const audit = { at: far, actor: 'ada', address: null, reason: 'asked to' };

async function tryOnce(kind: Parameters<typeof completion>[1], ...events: IntentEvent[]): Promise<Lease> {
  const lease = await begin(store, await claimOne(store, { now: far }));
  await record(store, stepOf(lease, { completion: completion(lease, kind, { events, dueAt: far }) }));
  return lease;
}

function parked(lane: 'block' | 'continue', reason: 'rejected' | 'unknown-outcome'): IntentEvent {
  return { type: 'IntentParked', at: now, reason, lane };
}

async function act(member: string, action: IntentAction): Promise<void> {
  const { lane_id: laneId } = await laneOf(store, member);
  const result = await new IntentActionRepository(store.database, store.keys.members).act({
    place: { laneId, seq: 1 },
    action,
    audit,
  });
  expect(result.kind).toBe('done');
}

/** What may have become of a member's first purchase; the second one is untouched. */
const lives: Readonly<Record<string, () => Promise<unknown>>> = {
  untouched: async () => undefined,
  delivered: async () => {
    const lease = await begin(store, await claimOne(store, { now: far }));
    await record(store, stepOf(lease, { completion: applied(lease) }));
  },
  delivering: async () => begin(store, await claimOne(store, { now: far })),
  unknown: async () => tryOnce('retry', lost),
  'to be sent again': async () => {
    await tryOnce('retry', lost, { type: 'ResendDecided', at: now, attempt: 1, basis: 'policy' });
  },
  'tried twice': async () => {
    for (const attempt of [1, 2]) {
      await tryOnce('retry', {
        type: 'AttemptNotApplied',
        at: now,
        attempt,
        code: 'busy',
        answered: true,
        retryAt: far,
      });
    }
  },
  refused: async () => tryOnce('settle', rejected, parked('continue', 'rejected')),
  'refused and blocking': async () => tryOnce('block', rejected, parked('block', 'rejected')),
  'in doubt': async () => tryOnce('settle', lost, parked('continue', 'unknown-outcome')),
  waiting: async () => {
    const lease = await claimOne(store, { now: far });
    await record(store, stepOf(lease, { completion: waitForPass(lease) }));
  },
  cancelled: () => act('cancelled', { kind: 'cancel' }),
  'sent again by a person': async () => {
    await tryOnce('settle', rejected, parked('continue', 'rejected'));
    await act('sent again by a person', { kind: 'replay' });
  },
  'delivered by word, before the lane has stepped over it': async () => {
    await tryOnce('block', lost, parked('block', 'unknown-outcome'));
    await act('delivered by word, before the lane has stepped over it', { kind: 'resolve', as: 'delivered' });
  },
  'not delivered by word': async () => {
    await tryOnce('settle', lost, parked('continue', 'unknown-outcome'));
    await act('not delivered by word', { kind: 'resolve', as: 'not-delivered' });
  },
};

async function page(filter: IntentFilter, after: ListPosition | null = null, limit = 500): Promise<ListPage> {
  return new IntentRepository(store.database, clock).list({ filter, programs: null, after, limit });
}

async function oldestFirst(filter: IntentFilter, after: ListPosition | null, limit: number): Promise<ListPage> {
  const asked = { filter, programs: null, after, limit, order: 'oldest' } as const;
  return new IntentRepository(store.database, clock).list(asked);
}

async function all(filter: IntentFilter, limit = 500): Promise<ListedIntent[]> {
  const items: ListedIntent[] = [];
  for (let after: ListPosition | null = null, pages = 0; pages < 100; pages += 1) {
    const { items: more, next } = await page(filter, after, limit);
    items.push(...more);
    if (next === null) return items;
    after = next;
  }
  throw new Error('the pages never end');
}

function names(items: readonly ListedIntent[]): string[] {
  return items.map(({ memberId, seq }) => `${memberId} ${seq}`);
}

describe('a list of intents', () => {
  it.each([
    [['parked', 'unknown'], 500],
    [['parked', 'unknown', 'waiting', 'cancelled'], 1],
    [['delivered', 'pending', 'parked'], 2],
  ] as const)(
    'of any of the statuses %j is the one of each together, the newest first, %i at a time',
    async (statuses, limit) => {
      const items = await all({ statuses }, limit);
      const each = await Promise.all(statuses.map(async (status) => all({ status })));
      expect(new Set(names(items))).toEqual(new Set(names(each.flat())));
      expect(items).toHaveLength(each.flat().length);
      const times = items.map(({ recordedAt }) => recordedAt);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(new Set(items.map(({ status }) => status)).size).toBe(statuses.length);
    },
  );

  it('tells how each stands as the fold of its events does', async () => {
    const intents = await new StatusRepository(store.database).list({ laneId: 0, seq: 0 });
    const told = new Map(intents.map(({ memberId, seq, status }) => [`${memberId} ${seq}`, status]));
    const items = await all({});
    expect(new Map(items.map(({ memberId, seq, status }) => [`${memberId} ${seq}`, status]))).toEqual(told);
    expect(new Set(told.values()).size).toBe(7);
  });

  it('tells how many attempts each has had, the one under way included', async () => {
    const untried = new Set(['untouched', 'waiting', 'cancelled']);
    const attemptsOf = (memberId: string): number => (untried.has(memberId) ? 0 : memberId === 'tried twice' ? 2 : 1);
    const items = await all({});
    expect(items.map(({ memberId, seq, attemptCount }) => [memberId, seq, attemptCount])).toEqual(
      items.map(({ memberId, seq }) => [memberId, seq, seq === 1 ? attemptsOf(memberId) : 0]),
    );
  });

  it.each(['waiting', 'pending', 'delivering', 'unknown', 'delivered', 'parked', 'cancelled'] as const)(
    'shows what is %s, and nothing else',
    async (status) => {
      const wanted = (await all({})).filter((each) => each.status === status);
      expect(wanted).not.toEqual([]);
      expect(await all({ status })).toEqual(wanted);
    },
  );

  it('begins with the newest, and goes on where the page before ended, whatever the size of pages', async () => {
    const items = await all({});
    expect(items.map(({ recordedAt }) => recordedAt)).toEqual(
      items.map((each) => each.recordedAt).toSorted((a, b) => b - a),
    );
    for (const limit of [1, 3, 7]) expect(names(await all({}, limit))).toEqual(names(items));
    for (const limit of [1, 2]) {
      expect(names(await all({ status: 'parked' }, limit))).toEqual(names(await all({ status: 'parked' })));
    }
  });

  it.each<IntentFilter>([
    {},
    { status: 'parked' },
    { statuses: ['parked', 'unknown', 'pending'] },
    { statuses: ['parked', 'unknown'] },
    { memberId: 'refused' },
    { purchaseId: 'waiting-2' },
    { from: now + 3_000, to: now + 6_000 },
  ])('begins with the oldest where that is asked for: %j', async (filter) => {
    const newest = names(await all(filter));
    expect(newest).not.toEqual([]);
    for (const limit of [1, 3, 500]) {
      const oldest: ListedIntent[] = [];
      for (let after: ListPosition | null = null; ;) {
        const { items, next } = await oldestFirst(filter, after, limit);
        oldest.push(...items);
        if (next === null) break;
        after = next;
      }
      expect(names(oldest)).toEqual(newest.toReversed());
    }
  });

  it.each<[string, IntentFilter, (each: ListedIntent) => boolean]>([
    ['a member', { memberId: 'refused' }, ({ memberId }) => memberId === 'refused'],
    ['a member of a program', { memberId: 'refused', program }, ({ memberId }) => memberId === 'refused'],
    ['a member of another program', { memberId: 'refused', program: 'other' }, () => false],
    ['a purchase', { purchaseId: 'waiting-2' }, ({ purchaseId }) => purchaseId === 'waiting-2'],
    ['a reason', { reason: 'unknown-outcome' }, ({ reason }) => reason === 'unknown-outcome'],
    ['a reason to wait', { status: 'waiting', reason: 'pass' }, ({ reason }) => reason === 'pass'],
    ['an operation', { operation: 'transaction' }, () => true],
    ['another operation', { operation: 'reward' }, () => false],
    ['a store', { store: 'nowhere' }, () => false],
    ['a source', { source: '/till' }, () => true],
    ['a time', { from: now + 3_000, to: now + 6_000 }, ({ recordedAt: at }) => at >= now + 3_000 && at < now + 6_000],
    ['a member at a time', { memberId: 'waiting', to: now }, () => false],
  ])('is of %s alone', async (_what, filter, isWanted) => {
    const wanted = names((await all({})).filter(isWanted));
    expect(names(await all(filter)).toSorted()).toEqual(wanted.toSorted());
    expect(names(await all(filter, 1)).toSorted()).toEqual(wanted.toSorted());
  });
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Subplan Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Of several statuses so many rows as a page has are sorted, and no more. */
type OrderedPlan = Exclude<CandidatePlan, 'standings'>;

const values: Readonly<Record<OrderedPlan, readonly [string | number | null, string | number | null]>> = {
  one: [1, 1],
  newest: [null, null],
  standing: ['parked', null],
  purchase: ['B-2', null],
  member: ['m-1', null],
};

/** Every candidate comes from an index, in its order: nothing is sorted, however many there are. */
describe('the query plan of a list', () => {
  let test: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    test = await testDatabase();
    client = new pg.Client({ connectionString: test.url });
    await client.connect();
    // Tables this small are read whole otherwise; the plan is meant for ten million rows.
    await client.query(
      'SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan',
    );
  });

  afterAll(async () => {
    await client.end();
    await test.dispose();
  });

  async function candidatePlan(plan: OrderedPlan, order: ListOrder = 'newest'): Promise<PlanNode> {
    const { text } = candidatesStatement(plan, candidateSizes[1], order);
    await client.query(`DEALLOCATE ALL; PREPARE look_${plan} AS ${text}`);
    const [start, end] = order === 'newest' ? ['9999-12-31T00:00:00Z', '-infinity'] : ['-infinity', 'infinity'];
    const given = [start, 2 ** 40, 1, end, ...values[plan]];
    const literals = given.map((value) => (value === null ? 'NULL' : pg.escapeLiteral(String(value))));
    const explain = `EXPLAIN (FORMAT JSON) EXECUTE look_${plan} (${literals.join(', ')})`;
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain);
    const found = rows[0] === undefined ? undefined : nodes(rows[0]['QUERY PLAN'][0].Plan).find(isCandidate);
    if (found === undefined) throw new Error('the candidates are not in the plan');
    return found;
  }

  function isCandidate(node: PlanNode): boolean {
    return node['Subplan Name'] === 'CTE candidate';
  }

  function nodes(node: PlanNode): PlanNode[] {
    return [node, ...(node.Plans ?? []).flatMap(nodes)];
  }

  it.each([
    ['newest', 'intent_recorded', 'newest'],
    ['newest', 'intent_recorded', 'oldest'],
    ['standing', 'intent_standing_list', 'newest'],
    ['standing', 'intent_standing_list', 'oldest'],
    ['purchase', 'intent_purchase', 'newest'],
    ['member', 'intent_pkey', 'newest'],
    ['member', 'intent_pkey', 'oldest'],
    ['one', 'intent_pkey', 'newest'],
  ] as const)('%s: reads %s, the %s first', async (plan, index, order) => {
    const parts = nodes(await candidatePlan(plan, order));
    expect(parts.map((node) => node['Index Name'])).toContain(index);
    expect(parts.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    // A purchase has few intents, one has one: those may be sorted.
    if (plan !== 'purchase' && plan !== 'one') expect(parts.map((node) => node['Node Type'])).not.toContain('Sort');
  });

  it('counts attempts of the intents shown by their keys', async () => {
    const { text } = attemptsStatement;
    await client.query(`DEALLOCATE ALL; PREPARE attempts AS ${text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE attempts ('{1,2}', '{1,1}')`,
    );
    const parts = rows.flatMap((row) => nodes(row['QUERY PLAN'][0].Plan));
    expect(parts.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    expect(parts.filter((node) => node['Index Cond']?.includes('seq = g.seq'))).not.toEqual([]);
  });

  it('looks for a member by program and id, also where no program is asked for', async () => {
    const conditions = nodes(await candidatePlan('member')).map((node) => node['Index Cond'] ?? '');
    expect(conditions.filter((text) => text.includes('member_id'))).toEqual([
      expect.stringMatching(/program_id = .* AND .*member_id = /),
    ]);
  });
});
