import { IntentActionRepository } from '#intents';
import type { TestStore } from '#intents/testing';
import {
  begin,
  claimOne,
  completion,
  historyOf,
  laneOf,
  now,
  purchase,
  record,
  stepOf,
  testStore,
  update,
} from '#intents/testing';
import type { Logger } from '#platform';

import { far, owners, Replaying, audit } from '../../../testing/replaying.js';
import type { JobItem } from '../../job-items.js';
import { inactivePollMs, JobItemRepository, settleInactive } from '../../job-items.js';
import { jobRunner, JobWork } from '../../job-runner.js';
import { JobRepository } from '../../job-repository.js';
import { itemLeaseMs } from '../../item-work.js';

let store: TestStore;
let actions: IntentActionRepository;
let replaying: Replaying;
const stored = (): JobRepository => new JobRepository(store.database);

beforeEach(async () => {
  store = await testStore(4);
  actions = new IntentActionRepository(store.database, store.keys.members);
  replaying = new Replaying(store);
});

afterEach(() => store.close());

const transactions = { operation: 'transaction' };
const later = { ...audit, actor: 'bob', reason: 'the partner has mended it at last' };
const items = (state: string | null = null): Promise<JobItem[]> =>
  new JobItemRepository(store.database).list({ jobId: 'r1', after: 0, state, limit: 100 });

/** Time passes, and what rests is looked at. */
async function rest(): Promise<void> {
  replaying.at += inactivePollMs;
  await settleInactive(replaying.tools, 'replay');
}

/** A kind of which no job has a turn. */
class NoTurns extends JobWork {
  override kind: 'replay' | 'reconcile' = 'replay';

  override turn(): never {
    throw new Error('it has no turns');
  }
}

describe('a dry run that is started', () => {
  it('goes at the pace that is asked for then, in the name of who started it', async () => {
    await replaying.withParked(2);
    const planned = await replaying.create({ isDryRun: true, isCanary: true });
    expect(planned).toMatchObject({ startedAt: null, startedBy: null, startReason: null });
    const request = { jobId: 'r1', ratePerSecond: 20, isCanary: false, audit: later, role: 'admin' as const };
    expect(await stored().start(request)).toMatchObject({
      state: 'waiting',
      ...{ ratePerSecond: 20, isCanary: false, createdBy: 'ada', reason: audit.reason },
      ...{ startedAt: far, startedBy: 'bob', startReason: later.reason },
    });
    expect(await stored().start(request)).toBeNull();
    expect(await replaying.turn()).toBe(2);
    const events = await store.sql<{ data: object }>(`SELECT data FROM intent_history WHERE type = 'IntentReplayed'`);
    expect(events.map(({ data }) => data)).toMatchObject(Array(2).fill({ by: 'bob', reason: later.reason }));
    const traces = await store.sql<object>('SELECT action, actor, detail FROM operator_action ORDER BY action_id');
    expect(traces).toMatchObject([
      { action: 'replay.plan', actor: 'ada' },
      { action: 'replay.start', actor: 'bob', detail: { job: 'r1', ratePerSecond: 20, canary: false } },
    ]);
  });

  it('keeps the pace of the dry run where none is asked for', async () => {
    await replaying.withParked(1);
    await replaying.create({ isDryRun: true, isCanary: true, ratePerSecond: 3 });
    const request = { jobId: 'r1', ratePerSecond: null, isCanary: null, audit: later, role: 'admin' as const };
    expect(await stored().start(request)).toMatchObject({ ratePerSecond: 3, isCanary: true });
  });

  it('is in the name of who made it where it was not made dry', async () => {
    await replaying.withParked(1);
    expect(await replaying.create()).toMatchObject({
      ...{ startedAt: far, startedBy: 'ada', startReason: audit.reason },
    });
  });
});

describe('replays that cannot come to an end', () => {
  it('keep no other from its turn', async () => {
    const ids = Array.from({ length: 5 }, (_, index) => `r${index}`);
    await replaying.withParked(ids.length);
    for (const [index, jobId] of ids.entries()) {
      await replaying.create({ jobId, query: { memberId: `m${index}` } });
    }
    // Nothing is delivered: what was sent stays under way.
    const sent: number[] = [];
    while (sent.length < ids.length) sent.push(await replaying.turn());
    expect(sent).toEqual([1, 1, 1, 1, 1]);
    for (const jobId of ids) expect(await replaying.states(jobId)).toEqual({ sent: 1 });
  });

  it('come round in the order in which they have waited, each in one process', async () => {
    await replaying.withParked(3);
    for (let index = 0; index < 3; index += 1) await replaying.create({ jobId: `r${index}` });
    const take = async (owner: string): Promise<string | undefined> => {
      const job = await replaying.lease(owner);
      if (job === undefined) return undefined;
      await stored().save({
        jobId: job.jobId,
        owner,
        now: replaying.at,
        turn: { isDone: false },
      });
      return job.jobId;
    };
    expect([await take(owners[0]), await take(owners[0])]).toEqual(['r0', 'r1']);
    expect([await take(owners[1]), await take(owners[1])]).toEqual(['r2', 'r2']);
    expect([await take(owners[0]), await take(owners[0]), await take(owners[0])]).toEqual(['r0', 'r1', 'r0']);
    replaying.at += itemLeaseMs;
    expect([await take(owners[0]), await take(owners[0]), await take(owners[0])]).toEqual(['r2', 'r1', 'r0']);
  });
});

describe('an item whose lane is blocked by something else', () => {
  /** Of m0 the purchase is parked, and behind it an update blocks the lane; the others have a parked purchase each. */
  async function withBlocked(others: number): Promise<void> {
    const purchases = Array.from({ length: others }, (_, index) => purchase(`p${index + 1}`, `m${index + 1}`));
    await replaying.till.record(purchase('p0', 'm0'), update('u0', 'm0'), ...purchases);
    await replaying.tryAll(() => 'refused');
    await replaying.tryAll(() => 'blocked');
    expect(await laneOf(store, 'm0')).toMatchObject({ state: 'blocked', cur_seq: 2 });
  }

  it('is foretold and refused, and holds nobody up', async () => {
    await withBlocked(2);
    await replaying.create({ query: transactions, isCanary: true });
    expect((await replaying.replay()).selection?.byForecast).toEqual({ 'lane-blocked': 1, 'was-refused': 2 });
    await replaying.turn();
    expect(await items('refused')).toMatchObject([{ memberId: 'm0', seq: 1, detail: 'lane-blocked' }]);
    expect((await historyOf(store, 'm0')).filter((event) => event.endsWith('IntentReplayed'))).toEqual([]);
    await replaying.turn();
    expect(await replaying.states()).toEqual({ refused: 1, sent: 1, waiting: 1 });
    await replaying.tryAll(() => 'delivered');
    await replaying.turn();
    await replaying.tryAll(() => 'delivered');
    await replaying.turn();
    expect(await replaying.states()).toEqual({ refused: 1, delivered: 2 });
    expect(await replaying.replay()).toMatchObject({ state: 'done' });
  });

  it('is sent where what blocks it is sent, too', async () => {
    await withBlocked(1);
    await replaying.create({ isCanary: true });
    expect((await replaying.replay()).selection?.byForecast).toEqual({ 'was-refused': 3 });
    await replaying.turn();
    await replaying.turn();
    expect(await items('sent')).toMatchObject([
      { memberId: 'm0', seq: 1, detail: null },
      { memberId: 'm0', seq: 2, detail: null },
    ]);
    expect(await replaying.turn()).toBe(0);
    await replaying.tryAll(() => 'delivered');
    await replaying.tryAll(() => 'delivered');
    expect(await replaying.turn()).toBe(1);
    await replaying.tryAll(() => 'delivered');
    await replaying.turn();
    expect(await replaying.states()).toEqual({ delivered: 3 });
    expect(await replaying.replay()).toMatchObject({ state: 'done' });
  });

  it('is not waited for where it is blocked after it was sent, and comes to its end once that is mended', async () => {
    await replaying.till.record(purchase('p0', 'm0'), update('u0', 'm0'), purchase('p1', 'm1'));
    await replaying.tryAll(() => 'refused');
    const lease = await begin(store, await claimOne(store, { now: far + 1 }));
    await replaying.create({ query: transactions, isCanary: true });
    expect(await replaying.turn()).toBe(1);
    expect(await replaying.turn()).toBe(0);
    const events = [
      { type: 'AttemptRejected', at: now, attempt: lease.attempt, code: 'refused' },
      { type: 'IntentParked', at: now, reason: 'rejected', lane: 'block' },
    ] as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'block', { events }) }));

    expect(await replaying.turn()).toBe(1);
    await replaying.tryAll(() => 'delivered');
    await replaying.turn();
    expect(await replaying.replay()).toMatchObject({ state: 'done' });
    expect(await items()).toMatchObject([
      { memberId: 'm0', state: 'sent', detail: 'lane-blocked' },
      { memberId: 'm1', state: 'delivered' },
    ]);
    await rest();
    expect(await replaying.replay()).toMatchObject({ counts: null });

    const { lane_id: laneId } = await laneOf(store, 'm0');
    await actions.act({
      place: { laneId, seq: 2 },
      action: { kind: 'replay' },
      audit,
    });
    await replaying.tryAll(() => 'delivered');
    await replaying.tryAll(() => 'delivered');
    await rest();
    expect(await items()).toMatchObject([{ state: 'delivered', detail: null }, { state: 'delivered' }]);
    expect(await replaying.replay()).toMatchObject({ state: 'done', counts: { delivered: 2 } });
  });
});

describe('what a forced replay has sent', () => {
  it('is given up by an admin only', async () => {
    await replaying.withParked(1);
    await replaying.create({ isForced: true, role: 'admin' });
    const { lane_id: laneId } = await laneOf(store, 'm0');
    const cancel = { place: { laneId, seq: 1 }, action: { kind: 'cancel' }, audit } as const;
    expect(await replaying.turn()).toBe(1);
    for (const asked of [cancel, { ...cancel, role: 'operator' as const }]) {
      expect(await actions.act(asked)).toEqual({
        kind: 'refused',
        reason: 'decided-by-admin',
      });
    }
    const asked = { ...cancel, role: 'admin' as const };
    expect(await actions.act(asked)).toMatchObject({
      kind: 'done',
    });
  });
});

describe('what was sent of a replay that goes no further', () => {
  it.each([
    ['pause', 'waiting'],
    ['cancel', 'skipped'],
  ] as const)('comes to its own end after a %s', async (steering, rest3) => {
    await replaying.withParked(3);
    await replaying.create();
    await replaying.turn(2);
    await stored().steer({
      job: { jobId: 'r1', kind: 'replay', program: null },
      steering,
      audit,
      role: 'admin',
    });
    await rest();
    expect(await replaying.states()).toEqual({ sent: 2, [rest3]: 1 });
    await replaying.tryAll((memberId) => (memberId === 'm0' ? 'delivered' : 'refused'));
    await Promise.all([rest(), rest()]);
    expect(await replaying.states()).toEqual({ delivered: 1, parked: 1, [rest3]: 1 });
    expect(replaying.ends.toSorted()).toEqual(['delivered 1', 'parked 1']);
  });

  it('is noted by one process at a time, not more often than need be', async () => {
    await replaying.withParked(2);
    await replaying.create();
    await replaying.turn(1);
    await stored().steer({
      job: { jobId: 'r1', kind: 'replay', program: null },
      steering: 'pause',
      audit,
      role: 'admin',
    });
    await rest();
    await replaying.tryAll(() => 'delivered');
    await settleInactive(replaying.tools, 'replay');
    expect(replaying.ends).toEqual([]);
    await rest();
    expect(replaying.ends).toEqual(['delivered 1']);
  });
});

describe('what a job of any kind has sent', () => {
  it('comes to its end by the runner of its kind, once the job has no turns any more', async () => {
    await replaying.withParked(1);
    await replaying.create();
    await replaying.turn();
    await replaying.tryAll(() => 'delivered');
    await store.sql(`UPDATE job SET kind = 'reconcile', state = 'done', finished_at = created_at, leased_until = NULL`);
    const run = async (kind: 'replay' | 'reconcile'): Promise<void> => {
      const logger = {
        warn: (fields: object): never => {
          throw new Error(JSON.stringify(fields));
        },
      } as unknown as Logger;
      const runner = jobRunner({
        ...replaying.tools,
        random: store.random,
        logger,
        work: Object.assign(new NoTurns(), { kind }),
      });
      runner.start();
      await runner.stop();
    };
    await run('replay');
    expect(replaying.ends).toEqual([]);
    await run('reconcile');
    expect(replaying.ends).toEqual(['delivered 1']);
    expect(await replaying.replay()).toMatchObject({ counts: { delivered: 1 } });
  });
});

describe('the counts of a replay', () => {
  const refuse = (): never => {
    throw new Error('nothing should be counted');
  };
  const uncounted = { execute: refuse, transaction: refuse };

  it('are kept once nothing moves any more, and nobody counts again', async () => {
    await replaying.withParked(2);
    await replaying.create({ isDryRun: true });
    await rest();
    expect((await new JobItemRepository(uncounted).count([await replaying.replay()])).get('r1')).toEqual({
      waiting: 2,
    });
    await stored().start({
      jobId: 'r1',
      ratePerSecond: null,
      isCanary: null,
      audit,
      role: 'admin',
    });
    expect(await replaying.replay()).toMatchObject({ counts: null });
    await replaying.turn();
    expect(await replaying.states()).toEqual({ sent: 2 });
    await replaying.tryAll(() => 'delivered');
    await replaying.turn();
    await rest();
    expect((await new JobItemRepository(uncounted).count([await replaying.replay()])).get('r1')).toEqual({
      delivered: 2,
    });
  });

  it('are taken anew when it goes on, and when what was planned is cancelled', async () => {
    await replaying.withParked(2);
    await replaying.create();
    await stored().steer({
      job: { jobId: 'r1', kind: 'replay', program: null },
      steering: 'pause',
      audit,
      role: 'admin',
    });
    await rest();
    expect(await replaying.states()).toEqual({ waiting: 2 });
    await stored().steer({
      job: { jobId: 'r1', kind: 'replay', program: null },
      steering: 'resume',
      audit,
      role: 'admin',
    });
    await replaying.turn(1);
    expect(await replaying.states()).toEqual({ waiting: 1, sent: 1 });
    await replaying.create({ jobId: 'r2', query: { memberId: 'm1' }, isDryRun: true });
    await rest();
    await stored().steer({
      job: { jobId: 'r2', kind: 'replay', program: null },
      steering: 'cancel',
      audit,
      role: 'admin',
    });
    expect(await replaying.states('r2')).toEqual({ skipped: 1 });
    await rest();
    expect(await replaying.states('r2')).toEqual({ skipped: 1 });
  });

  it('of its canary are what came of it since it began: what was sent before counts for nothing', async () => {
    await replaying.withParked(13);
    await replaying.create({ isCanary: true });
    await replaying.turn();
    await replaying.tryAll(() => 'delivered');
    expect(await replaying.turn()).toBe(10);
    // Eight of the ten are still under way when it stops, and come to their end under the next canary.
    await replaying.tryAll(() => 'refused', 2);
    await replaying.turn();
    expect(await replaying.replay()).toMatchObject({
      error: '2 of the 3 that were sent failed',
      canary: { settled: 3, failed: 2 },
    });
    await stored().steer({
      job: { jobId: 'r1', kind: 'replay', program: null },
      steering: 'resume',
      audit,
      role: 'admin',
    });
    expect(await replaying.replay()).toMatchObject({ canary: { from: 11, settled: 0, failed: 0 } });
    expect(await replaying.turn()).toBe(1);
    await replaying.tryAll(() => 'refused');
    await replaying.turn();
    expect(await replaying.replay()).toMatchObject({ error: 'the one that was sent failed' });
  });
});
