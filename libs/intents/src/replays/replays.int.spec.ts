import type { IntentEvent } from '#domain';
import { SystemClock } from '#platform';
import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

import { replaysWithoutForceMax } from '../operator/count-put-back.js';
import { applied, begin, claim, completion, leaseOf, record, stepOf } from '../testing/lease.js';
import { now, program, purchase } from '../testing/records.js';
import { openTestStore } from '../testing/test-store.js';
import type { TestStore } from '../testing/test-store.js';
import { Till } from '../testing/till.js';
import { createReplay } from './create-replay.js';
import { countReplayItems } from './count-replay-items.js';
import type { CreateReplayResult, NewReplay } from './create-replay.js';
import { findReplay } from './find-replay.js';
import { leaseReplays, replayLeaseMs } from './lease-replays.js';
import { listReplayItems } from './list-replay-items.js';
import { replayStep } from './replay-step.js';
import type { Replay } from './replay.js';
import { steerReplay } from './steer-replay.js';

let test: TestDatabase;
let store: TestStore;
let till: Till;

beforeEach(async () => {
  test = await testDatabase();
  store = await openTestStore(test.url, 4);
  till = new Till(store);
});

afterEach(async () => {
  await store.close();
  await test.dispose();
});

const far = now + 3_600_000;
/** Stands at the time of the specs, later than all that was recorded. */
const clock = Object.assign(new SystemClock(), { now: () => far });
const owners = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;
const word = { at: far, actor: 'ada', address: '10.0.0.1', reason: 'the cause is mended' };
const rejected: IntentEvent = {
  type: 'AttemptRejected',
  at: now,
  attempt: 1,
  code: 'refused',
  fingerprint: 'f'.repeat(32),
};
const lost: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null };

type Ending = 'delivered' | 'refused' | 'in doubt';

/** Every lane that is due is tried once; its attempt ends so. */
async function tryAll(ending: (memberId: string) => Ending): Promise<number> {
  const lanes = await claim(store, { now: far + 1 });
  for (const lane of lanes) {
    const state = lane.intents.get(lane.cursor.current)?.state;
    const attempts = state === undefined || state.status === 'absent' ? 0 : state.attempts;
    const lease = await begin(store, leaseOf(lane), attempts + 1);
    const how = ending(lane.memberId);
    const reason = how === 'in doubt' ? 'unknown-outcome' : 'rejected';
    const park: IntentEvent = { type: 'IntentParked', at: now, reason, lane: 'continue' };
    const why = { ...(how === 'in doubt' ? lost : rejected), attempt: lease.attempt } as IntentEvent;
    const parked = completion(lease, 'settle', { events: [why, park] });
    await record(store, stepOf(lease, { completion: how === 'delivered' ? applied(lease) : parked }));
  }
  return lanes.length;
}

/** So many members with one purchase each, every one of them parked. */
async function withParked(count: number, ending: (memberId: string) => Ending = () => 'refused'): Promise<void> {
  await till.record(...Array.from({ length: count }, (_, index) => purchase(`p${index}`, `m${index}`)));
  await tryAll(ending);
}

function create(change: Partial<NewReplay> = {}): Promise<CreateReplayResult> {
  const request = { replayId: 'r1', query: {}, ratePerSecond: 100, isCanary: false, isForced: false, isDryRun: false };
  return createReplay(store.database, { ...request, word, ...change });
}

/** Told of items that have come to an end. */
const ends: string[] = [];
const onReplayItems = (state: string, count: number): number => ends.push(`${state} ${count}`);

/** One process takes its turn. */
async function turn(budget = 1_000, owner: string = owners[0]): Promise<number> {
  const tools = { database: store.database, clock, keys: store.keys.members, onReplayItems };
  let sent = 0;
  for (const replay of await leaseReplays(store.database, { owner, now: clock.now() })) {
    sent += await replayStep(replay, budget, tools);
  }
  return sent;
}

async function states(replayId = 'r1'): Promise<Readonly<Record<string, number>>> {
  const counts = await countReplayItems(store.database, [replayId]);
  return counts.get(replayId)?.byState ?? {};
}

async function replay(): Promise<Replay> {
  const found = await findReplay(store.database, 'r1');
  if (found === null) throw new Error('no such replay');
  return found;
}

describe('a replay', () => {
  it('sends what was parked when it was made, and tells of each what came of it', async () => {
    await withParked(5);
    ends.length = 0;
    expect(await create()).toMatchObject({ kind: 'created', replay: { state: 'running', createdBy: 'ada' } });
    expect(await turn()).toBe(5);
    expect(await turn()).toBe(0);
    expect(ends).toEqual([]);
    await tryAll((memberId) => (memberId === 'm3' ? 'refused' : 'delivered'));
    await turn();
    await turn();
    expect(ends.toSorted()).toEqual(['delivered 4', 'parked 1']);
    expect(await states()).toEqual({ delivered: 4, parked: 1 });
    expect(await replay()).toMatchObject({ state: 'done', stoppedBecause: null });
    const parked = await listReplayItems(store.database, { replayId: 'r1', after: 0, state: 'parked', limit: 10 });
    expect(parked).toMatchObject([{ memberId: 'm3', forecast: 'was-refused', detail: 'rejected refused' }]);
  });

  it('selects what its query says, by everything that a list can be asked for', async () => {
    await withParked(3, (memberId) => (memberId === 'm1' ? 'in doubt' : 'refused'));
    const selects = async (replayId: string, query: NewReplay['query']): Promise<number> => {
      await create({ replayId, query, isDryRun: true });
      return Object.values(await states(replayId)).reduce((sum, count) => sum + count, 0);
    };
    expect(await selects('a', { program, operation: 'transaction', reason: 'rejected', source: '/till' })).toBe(2);
    expect(await selects('b', { fingerprint: 'f'.repeat(32), code: 'refused' })).toBe(2);
    expect(await selects('c', { memberId: 'm1', from: now, to: now + 1 })).toBe(1);
    expect(await selects('d', { purchaseId: 'p2' })).toBe(1);
    expect(await create({ replayId: 'e', query: { store: 'nowhere' } })).toEqual({ kind: 'empty' });
    expect(await findReplay(store.database, 'e')).toBeNull();
  });

  it('foretells from our own history, and sends nothing of a dry run until it is started', async () => {
    await withParked(2, (memberId) => (memberId === 'm1' ? 'in doubt' : 'refused'));
    expect(await create({ isDryRun: true })).toMatchObject({ kind: 'created', replay: { state: 'planned' } });
    const counts = await countReplayItems(store.database, ['r1']);
    expect(counts.get('r1')?.byForecast).toEqual({ 'was-refused': 1, 'needs-decision': 1 });
    expect(await turn()).toBe(0);
    await steerReplay(store.database, { replayId: 'r1', steering: 'start', word });
    ends.length = 0;
    await turn();
    expect(ends).toEqual(['refused 1']);
    expect(await states()).toEqual({ sent: 1, refused: 1 });
    const [refused] = await listReplayItems(store.database, { replayId: 'r1', after: 0, state: 'refused', limit: 9 });
    expect(refused).toMatchObject({ memberId: 'm1', detail: 'in-doubt' });
  });

  it('is made once, however often it is asked for', async () => {
    await withParked(2);
    const results = await Promise.all([create(), create(), create()]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['created', 'known', 'known']);
    expect(await states()).toEqual({ waiting: 2 });
  });

  it('sends each item once, whoever works on it', async () => {
    await withParked(30);
    await create();
    await leaseReplays(store.database, { owner: owners[0], now: clock.now() });
    expect(await leaseReplays(store.database, { owner: owners[1], now: clock.now() })).toEqual([]);
    // The first one stands still, its lease ends, and it goes on as if nothing had happened.
    const [stale] = await leaseReplays(store.database, { owner: owners[0], now: clock.now() - replayLeaseMs - 1 });
    if (stale === undefined) throw new Error('not leased');
    const tools = { database: store.database, clock, keys: store.keys.members };
    const sent = await Promise.all([turn(1_000, owners[1]), replayStep(stale, 1_000, tools)]);
    expect(sent[0] + sent[1]).toBe(30);
    expect(await states()).toEqual({ sent: 30 });
    const [row] = await store.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM intent_event WHERE type = 'IntentReplayed'`,
    );
    expect(row?.count).toBe(30);
  });

  it('sends no more than its rate allows', async () => {
    await withParked(5);
    await create();
    expect(await turn(2.9)).toBe(2);
    expect(await turn(0.5)).toBe(0);
    expect(await turn(10)).toBe(3);
  });
});

describe('a canary', () => {
  it('sends one, and stops where that fails again; whoever lets it go on begins with one once more', async () => {
    await withParked(20);
    await create({ isCanary: true });
    expect(await turn()).toBe(1);
    expect(await turn()).toBe(0);
    await tryAll(() => 'refused');
    expect(await turn()).toBe(0);
    expect(await replay()).toMatchObject({
      state: 'stopped',
      stoppedBecause: '1 of the 1 that were sent failed again',
    });
    await steerReplay(store.database, { replayId: 'r1', steering: 'resume', word });
    expect(await turn()).toBe(1);
    await tryAll(() => 'delivered');
    expect(await turn()).toBe(10);
    await tryAll(() => 'delivered');
    expect(await turn()).toBe(8);
    await tryAll(() => 'delivered');
    await turn();
    expect(await states()).toEqual({ delivered: 19, parked: 1 });
    expect(await replay()).toMatchObject({ state: 'done' });
  });
});

describe('whoever steers a replay', () => {
  it('pauses it, lets it go on, and cancels it, each where it stands so', async () => {
    await withParked(4);
    await create();
    await turn(1);
    const steer = (steering: 'pause' | 'resume' | 'cancel'): Promise<Replay | null> =>
      steerReplay(store.database, { replayId: 'r1', steering, word });
    expect(await steer('resume')).toBeNull();
    expect(await steer('pause')).toMatchObject({ state: 'paused' });
    expect(await turn()).toBe(0);
    expect(await steer('resume')).toMatchObject({ state: 'running' });
    expect(await turn(1)).toBe(1);
    expect(await steer('cancel')).toMatchObject({ state: 'cancelled' });
    expect(await turn()).toBe(0);
    expect(await states()).toEqual({ sent: 2, skipped: 2 });
    expect(await steer('cancel')).toBeNull();
    const traces = await store.sql<{ action: string }>('SELECT action FROM operator_action ORDER BY action_id');
    expect(traces.map(({ action }) => action)).toEqual(
      ['start', 'pause', 'resume', 'cancel'].map((what) => `replay.${what}`),
    );
  });
});

describe('what was replayed often without success', () => {
  it('is sent once more only for somebody who insists', async () => {
    await withParked(1);
    for (let time = 0; time < replaysWithoutForceMax; time += 1) {
      await create({ replayId: `again-${time}` });
      await turn();
      await tryAll(() => 'refused');
      await turn();
    }
    await create();
    await turn();
    const [item] = await listReplayItems(store.database, { replayId: 'r1', after: 0, state: null, limit: 1 });
    expect(item).toMatchObject({ state: 'refused', detail: 'replayed-too-often' });
    await create({ replayId: 'forced', isForced: true });
    expect(await turn()).toBe(1);
  });
});
