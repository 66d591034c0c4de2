import { replaysWithoutForceMax } from '#intents';
import type { TestStore } from '#intents/testing';
import { cancelling, now, program, purchaseKey, testStore } from '#intents/testing';

import type { Ending } from '../../../testing/replaying.js';
import { owners, Replaying, audit } from '../../../testing/replaying.js';
import { JobItemRepository } from '../../job-items.js';
import type { Job } from '../../job-repository.js';
import { JobRepository } from '../../job-repository.js';
import type { ReplayFilter } from './replay-items.js';
import { itemLeaseMs } from '../../item-work.js';

let store: TestStore;
let replaying: Replaying;
const stored = (): JobRepository => new JobRepository(store.database);
const itemsStored = (): JobItemRepository => new JobItemRepository(store.database);

beforeEach(async () => {
  store = await testStore(4);
  replaying = new Replaying(store);
});

afterEach(() => store.close());

const tryAll = (ending: (memberId: string) => Ending): Promise<number> => replaying.tryAll(ending);
const withParked = (count: number, ending?: (memberId: string) => Ending): Promise<void> =>
  replaying.withParked(count, ending);
const create = (change?: Parameters<Replaying['create']>[0]): Promise<Job> => replaying.create(change);
const turn = (budget?: number, owner?: string): Promise<number> => replaying.turn(budget, owner);
const states = (jobId?: string): Promise<Readonly<Record<string, number>>> => replaying.states(jobId);
const replay = (): Promise<Job> => replaying.replay();

describe('a replay', () => {
  it('sends what was parked when it was made, and tells of each what came of it', async () => {
    await withParked(5);
    replaying.ends.length = 0;
    expect(await create()).toMatchObject({ state: 'waiting', createdBy: 'ada' });
    expect(await turn()).toBe(5);
    expect(await turn()).toBe(0);
    expect(replaying.ends).toEqual([]);
    await tryAll((memberId) => (memberId === 'm3' ? 'refused' : 'delivered'));
    await turn();
    await turn();
    expect(replaying.ends.toSorted()).toEqual(['delivered 4', 'parked 1']);
    expect(await states()).toEqual({ delivered: 4, parked: 1 });
    expect(await replay()).toMatchObject({ state: 'done', error: null });
    const parked = await itemsStored().list({
      jobId: 'r1',
      after: 0,
      state: 'parked',
      limit: 10,
    });
    expect(parked).toMatchObject([{ memberId: 'm3', forecast: 'was-refused', detail: 'rejected refused' }]);
  });

  it('selects what its query says, by everything that a list can be asked for', async () => {
    await withParked(3, (memberId) => (memberId === 'm1' ? 'in doubt' : 'refused'));
    const selects = async (jobId: string, query: ReplayFilter): Promise<number> => {
      await create({ jobId, query, isDryRun: true });
      return Object.values(await states(jobId)).reduce((sum, count) => sum + count, 0);
    };
    expect(await selects('a', { program, operation: 'transaction', reason: 'rejected', source: '/till' })).toBe(2);
    expect(await selects('b', { fingerprint: 'f'.repeat(32), code: 'refused' })).toBe(2);
    expect(await selects('c', { memberId: 'm1', from: now, to: now + 1 })).toBe(1);
    expect(await selects('d', { purchaseId: 'p2' })).toBe(1);
    expect([await selects('d1', { q: 'p2' }), await selects('d2', { q: 'm1' })]).toEqual([1, 1]);
    expect(await selects('d3', { memberId: 'm1', seq: 1 })).toBe(1);
    await expect(create({ jobId: 'd4', query: { memberId: 'm1', seq: 2 } })).rejects.toMatchObject({ kind: 'empty' });
    await expect(create({ jobId: 'e', query: { store: 'nowhere' } })).rejects.toMatchObject({ kind: 'empty' });
    expect(await stored().find('e')).toBeNull();
  });

  it('foretells what was corrected after the refusal as that, and what was corrected before it as refused', async () => {
    await withParked(2, () => 'refused');
    const correct = (memberId: string, at: number): Promise<unknown> =>
      store.sql(
        `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
          SELECT lane_id, seq, 90, 1, 1, 'IntentCorrected', s.since + $2 * interval '1 s', '{"by": "operator"}'
          FROM intent_standing s JOIN member m USING (lane_id) WHERE m.member_id = $1 AND s.status = 'parked'`,
        memberId,
        at,
      );
    await correct('m0', 1);
    await correct('m1', -1);
    await create({ isDryRun: true });
    expect((await replay()).selection?.byForecast).toEqual({ 'corrected-since': 1, 'was-refused': 1 });
  });

  it('foretells from our own history, and sends nothing of a dry run until it is started', async () => {
    await withParked(2, (memberId) => (memberId === 'm1' ? 'in doubt' : 'refused'));
    expect(await create({ isDryRun: true })).toMatchObject({ state: 'planned' });
    expect((await replay()).selection?.byForecast).toEqual({ 'was-refused': 1, 'needs-decision': 1 });
    expect(await turn()).toBe(0);
    await stored().start({
      jobId: 'r1',
      ratePerSecond: null,
      isCanary: null,
      audit,
      role: 'admin',
    });
    replaying.ends.length = 0;
    await turn();
    expect(replaying.ends).toEqual(['refused 1']);
    expect(await states()).toEqual({ sent: 1, refused: 1 });
    const [refused] = await itemsStored().list({
      jobId: 'r1',
      after: 0,
      state: 'refused',
      limit: 9,
    });
    expect(refused).toMatchObject({ memberId: 'm1', detail: 'in-doubt' });
  });

  it('warns of what the partner has said yes to, although that proved nothing', async () => {
    const endings: Record<string, Ending> = { m0: 'refused', m1: 'in doubt', m2: 'answered yes' };
    await withParked(3, (memberId) => endings[memberId]!);
    await create({ isDryRun: true });
    const items = await itemsStored().list({ jobId: 'r1', after: 0, state: null, limit: 9 });
    expect(items.map(({ memberId, forecast }) => `${memberId} ${forecast}`).toSorted()).toEqual([
      'm0 was-refused',
      'm1 needs-decision',
      'm2 answered-yes',
    ]);
  });

  it('warns of what a void has taken back meanwhile: it is never sent, whatever is decided', async () => {
    await withParked(2, (memberId) => (memberId === 'm0' ? 'in doubt' : 'answered yes'));
    await replaying.till.record(cancelling('v', 'm1', purchaseKey('p1')));
    await create({ isDryRun: true });
    const items = await itemsStored().list({ jobId: 'r1', after: 0, state: null, limit: 9 });
    expect(items.map(({ memberId, forecast }) => `${memberId} ${forecast}`).toSorted()).toEqual([
      'm0 needs-decision',
      'm1 voided',
    ]);
  });

  it('is made once, however often it is asked for', async () => {
    await withParked(2);
    await Promise.all([create(), create(), create()]);
    expect(await states()).toEqual({ waiting: 2 });
    expect(await store.sql('SELECT action FROM operator_action')).toEqual([{ action: 'replay.start' }]);
  });

  it('sends each item once, whoever works on it', async () => {
    await withParked(30);
    await create();
    // The first one stands still, its lease ends, and it goes on as if nothing had happened.
    const stale = await replaying.lease(owners[0]);
    if (stale === undefined) throw new Error('not leased');
    expect(await replaying.lease(owners[1])).toBeUndefined();
    replaying.at += itemLeaseMs;
    const [other, late] = await Promise.all([turn(1_000, owners[1]), replaying.turnOf(stale, 1_000)]);
    expect(other + (late.begun ?? 0)).toBe(30);
    expect(await states()).toEqual({ sent: 30 });
    const [row] = await store.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM intent_history WHERE type = 'IntentReplayed'`,
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
      error: 'the one that was sent failed',
    });
    await stored().steer({ job: await replay(), steering: 'resume', audit, role: 'admin' });
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
    const steer = async (steering: 'pause' | 'resume' | 'cancel'): Promise<Job | null> =>
      stored().steer({ job: await replay(), steering, audit, role: 'admin' });
    expect(await steer('resume')).toBeNull();
    expect(await steer('pause')).toMatchObject({ state: 'paused' });
    expect(await turn()).toBe(0);
    expect(await steer('resume')).toMatchObject({ state: 'waiting' });
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
      await create({ jobId: `again-${time}` });
      await turn();
      await tryAll(() => 'refused');
      await turn();
    }
    await create();
    await turn();
    const [item] = await itemsStored().list({ jobId: 'r1', after: 0, state: null, limit: 1 });
    expect(item).toMatchObject({ state: 'refused', detail: 'replayed-too-often' });
    await create({ jobId: 'forced', isForced: true });
    expect(await turn()).toBe(1);
  });
});
