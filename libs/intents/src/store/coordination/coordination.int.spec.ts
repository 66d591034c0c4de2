import { claim, claimOne, completion, record, stepOf } from '../../testing/lease.js';
import { laneOf, now, program, purchase, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import {
  deferredRange,
  deferredUntil,
  notHeldRanges,
  recallLane,
  resumeLanes,
  resumeLanesStatement,
} from './deferred-lanes.js';
import type { PauseTarget } from './pauses.js';
import { PauseRepository } from './pauses.js';
import type { ReplicaReport, SharedGate } from './replicas.js';
import { leaveReplica, replicaTtlMs, reportReplica } from './replicas.js';

let store: TestStore;
let pauses: PauseRepository;

beforeAll(async () => {
  store = await testStore(4);
  pauses = new PauseRepository(store.database);
});

afterEach(async () => {
  await store.sql('DELETE FROM replica');
  await store.sql('DELETE FROM program_gate');
  await store.sql('DELETE FROM pause');
  await store.sql('UPDATE lane SET due_at = NULL');
});

afterAll(() => store.close());

const replicas = [1, 2, 3].map((number) => `00000000-0000-4000-8000-00000000000${number}`) as [string, string, string];
const [first, second, third] = replicas;

function reportOf(replicaId: string, change: Partial<ReplicaReport> = {}): ReplicaReport {
  return { replicaId, startedAt: now, programs: {}, gates: [], ...change };
}

function gate(change: Partial<SharedGate>): SharedGate {
  return { program, cooldownUntil: null, breakerOpenedAt: null, breakerUntil: null, ...change };
}

const pauseOf = (change: Partial<PauseTarget> = {}) => ({
  program,
  operation: null,
  by: 'ada',
  reason: 'stocktaking',
  automatic: false,
  now,
  ...change,
});

describe('replicas', () => {
  it('see each other, and on what the others work since when, but not themselves', async () => {
    expect(
      (await reportReplica(store.database, reportOf(first, { programs: { [program]: now - 7 } }), now)).others,
    ).toEqual([]);
    const seen = await reportReplica(store.database, reportOf(second), now);
    expect(seen.others).toEqual([{ replicaId: first, programs: { [program]: now - 7 } }]);
    expect((await reportReplica(store.database, reportOf(first), now)).others).toMatchObject([{ replicaId: second }]);
  });

  it('stop counting when they have been silent for too long, or have left', async () => {
    for (const replicaId of replicas) await reportReplica(store.database, reportOf(replicaId), now);
    await leaveReplica(store.database, third);
    const lastMoment = await reportReplica(store.database, reportOf(first), now + replicaTtlMs - 1);
    expect(lastMoment.others).toMatchObject([{ replicaId: second }]);
    expect((await reportReplica(store.database, reportOf(first), now + replicaTtlMs)).others).toEqual([]);
  });

  it('leave no rows behind for ever when they are killed', async () => {
    for (const replicaId of replicas) await reportReplica(store.database, reportOf(replicaId), now);
    await reportReplica(store.database, reportOf(first), now + 60_001);
    expect(await store.sql('SELECT replica_id FROM replica')).toEqual([{ replica_id: first }]);
  });
});

describe('what the partner told one replica', () => {
  it('is told to all, the longest rest and the longest breaker each', async () => {
    const breaker = { breakerOpenedAt: now - 10, breakerUntil: now + 900 };
    await reportReplica(store.database, reportOf(first, { gates: [gate({ cooldownUntil: now + 5_000 })] }), now);
    await reportReplica(
      store.database,
      reportOf(second, { gates: [gate({ cooldownUntil: now + 100, ...breaker })] }),
      now,
    );
    const shorter = { breakerOpenedAt: now - 1, breakerUntil: now + 800 };
    await reportReplica(store.database, reportOf(second, { gates: [gate(shorter)] }), now);
    const { gates } = await reportReplica(store.database, reportOf(third), now);
    expect(gates).toEqual([{ program, cooldownUntil: now + 5_000, ...breaker, leasedRate: null }]);
  });

  it('is forgotten when it is over', async () => {
    await reportReplica(store.database, reportOf(first, { gates: [gate({ cooldownUntil: now + 5_000 })] }), now);
    expect((await reportReplica(store.database, reportOf(second), now + 4_999)).gates).toHaveLength(1);
    expect((await reportReplica(store.database, reportOf(second), now + 5_000)).gates).toEqual([]);
  });
});

describe('pauses', () => {
  it('are told to every replica until they are lifted, and kept with who lifted them', async () => {
    await pauses.set(pauseOf());
    await pauses.set({ ...pauseOf({ program: null, operation: 'reward' }), automatic: true });
    expect((await reportReplica(store.database, reportOf(first), now)).pauses).toEqual([
      { program, operation: null, factor: null, automatic: false },
      { program: null, operation: 'reward', factor: null, automatic: true },
    ]);
    const lifting = { ...pauseOf(), by: 'bob', reason: 'done', now: now + 9 };
    expect(await pauses.lift(lifting)).toMatchObject({ program, operation: null, by: 'ada', since: now });
    expect(await pauses.lift(lifting)).toBeNull();
    expect((await reportReplica(store.database, reportOf(first), now)).pauses).toHaveLength(1);
    expect(
      await store.sql('SELECT set_by, lifted_by, lifted_reason, lifted_at FROM pause WHERE program_id IS NOT NULL'),
    ).toEqual([{ set_by: 'ada', lifted_by: 'bob', lifted_reason: 'done', lifted_at: now + 9 }]);
  });

  it('are set once per target: who comes second learns of the first', async () => {
    const results = await Promise.all(['ada', 'bob', 'cid'].map((by) => pauses.set({ ...pauseOf(), by })));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['already-paused', 'already-paused', 'paused']);
    const winner = results.find(({ kind }) => kind === 'paused')?.pause;
    expect(await pauses.list(now)).toEqual([winner]);
    expect(results.every(({ pause }) => pause.by === winner?.by)).toBe(true);
    await pauses.lift(pauseOf());
    expect(await pauses.set(pauseOf())).toMatchObject({ kind: 'paused' });
  });

  it('of a program leave those of its operations alone', async () => {
    await pauses.set(pauseOf());
    await pauses.set(pauseOf({ operation: 'reward' }));
    await pauses.set(pauseOf({ program: null }));
    await pauses.lift(pauseOf());
    expect(await pauses.list(now)).toMatchObject([
      { program, operation: 'reward' },
      { program: null, operation: null },
    ]);
  });
});

describe('a pause by a factor', () => {
  const held = { operation: 'reward', factor: 'reward:9002' } as const;

  it('is beside that of its operation, known to every replica, and goes with it when a person resumes that', async () => {
    await pauses.set({ ...pauseOf(held), automatic: true });
    await pauses.set({ ...pauseOf({ ...held, factor: 'store:s1' }) });
    await pauses.set(pauseOf({ operation: 'reward' }));
    expect((await reportReplica(store.database, reportOf(first), now)).pauses).toMatchObject([
      { ...held, automatic: true },
      { factor: 'store:s1' },
      { operation: 'reward', factor: null },
    ]);
    expect(await pauses.lift({ ...pauseOf({ operation: 'reward' }) })).toMatchObject({ factor: null });
    expect(await pauses.list(now)).toMatchObject([{ factor: 'store:s1' }]);
  });

  it('is lifted by delivery only where delivery has set it', async () => {
    await pauses.set(pauseOf(held));
    expect(await pauses.lift({ ...pauseOf(held), onlyAutomatic: true })).toBeNull();
    expect(await pauses.lift(pauseOf(held))).toMatchObject(held);
    await pauses.set({ ...pauseOf(held), automatic: true });
    await pauses.set({ ...pauseOf({ operation: 'reward' }), automatic: true });
    expect(await pauses.lift({ ...pauseOf({ operation: 'reward' }), onlyAutomatic: true })).toMatchObject({
      factor: null,
    });
    expect(await pauses.list(now)).toMatchObject([held]);
  });
});

describe('a pause with an end', () => {
  const audit = { at: now, actor: 'ada', address: null, reason: 'the till is mended by six' };
  const target = { program, operation: 'transaction', factor: 'store:s1' } as const;
  const until = now + 60_000;
  const actions = async (): Promise<unknown> =>
    store.sql(
      'SELECT actor, action, at, detail, lane_id IS NOT NULL AS "isOfLane" FROM operator_action WHERE at >= $1::timestamptz ORDER BY action_id',
      new Date(now).toISOString(),
    );
  const shown = async (at: number): Promise<unknown[]> => [
    await pauses.list(at),
    (await reportReplica(store.database, reportOf(first), at)).pauses,
  ];

  it('holds until then on every replica, whoever writes that down, which is done once and is in the audit', async () => {
    await pauses.setByOperator({ ...target, until }, audit);
    expect(await shown(until - 1)).toMatchObject([[{ factor: 'store:s1', until }], [{ factor: 'store:s1' }]]);
    expect((await reportReplica(store.database, reportOf(first), until - 1)).arePausesOver).toBe(false);
    expect(await shown(until)).toEqual([[], []]);
    expect((await reportReplica(store.database, reportOf(first), until)).arePausesOver).toBe(true);
    const ended = await Promise.all([1, 2, 3].map(async () => pauses.endOver(until + 5)));
    expect(ended.toSorted()).toEqual([0, 0, 1]);
    expect((await reportReplica(store.database, reportOf(first), until + 9)).arePausesOver).toBe(false);
    const end = { until: new Date(until).toISOString() };
    expect(await actions()).toEqual([
      { actor: 'ada', action: 'pause.set', at: now, detail: { ...target, ...end }, isOfLane: false },
      { actor: 'loyaltyd', action: 'pause.lift', at: until + 5, detail: { ...target, ...end }, isOfLane: false },
    ]);
    expect(await store.sql('SELECT lifted_at, lifted_by FROM pause')).toEqual([
      { lifted_at: until, lifted_by: 'loyaltyd' },
    ]);
  });

  it('that is over stands in nobody’s way: the same is paused anew, and cannot be lifted before', async () => {
    await pauses.setByOperator({ ...target, until }, audit);
    expect(await pauses.setByOperator({ ...target, until: null }, audit)).toMatchObject({ kind: 'already-paused' });
    const later = { ...audit, at: until };
    expect(await pauses.liftByOperator({ target, but: [], until: null }, later)).toBeNull();
    expect(await pauses.setByOperator({ ...target, until: null }, later)).toMatchObject({ kind: 'paused' });
    expect(await pauses.list(until + 1)).toMatchObject([{ factor: 'store:s1', until: null }]);
  });
});

describe('a pause that is lifted but for some of it', () => {
  const audit = { at: now, actor: 'ada', address: null, reason: 'only this store is broken' };
  const whole = { program, operation: 'transaction' } as const;
  const but = ['store:s1', 'store:s2'] as const;

  it('holds those instead from the same moment, by people, also what delivery held; the audit has it once', async () => {
    await pauses.set(pauseOf(whole));
    await pauses.set({ ...pauseOf({ ...whole, factor: 'store:s1' }), automatic: true });
    const until = now + 60_000;
    const done = await pauses.liftByOperator({ target: whole, but, until }, audit);
    expect(done).toMatchObject({ lifted: whole, held: but.map((factor) => ({ ...whole, factor, until })) });
    expect(await pauses.list(now)).toMatchObject(but.map((factor) => ({ factor, automatic: false, by: 'ada', until })));
    expect(await store.sql("SELECT detail FROM operator_action WHERE reason = 'only this store is broken'")).toEqual([
      { detail: { ...whole, but, until: new Date(until).toISOString() } },
    ]);
  });

  it('is nothing where it was not paused: nothing is held either', async () => {
    expect(await pauses.liftByOperator({ target: whole, but, until: null }, audit)).toBeNull();
    expect(await pauses.list(now)).toEqual([]);
  });
});

describe('a pause of a member', () => {
  const audit = { at: now, actor: 'ada', address: null, reason: 'whose points are doubtful' };

  it('is audited by their lane, not by their id, and refused for somebody nobody knows', async () => {
    await new Till(store).record(purchase('held-p', 'mHeld'));
    const held = { program, operation: null, factor: 'member:mHeld', until: null } as const;
    expect(await pauses.setByOperator(held, audit)).toMatchObject({ kind: 'paused' });
    expect(await pauses.setByOperator({ ...held, factor: 'member:nobody' }, audit)).toEqual({
      ...{ kind: 'no-such-member', pause: null },
    });
    const rows = await store.sql(
      'SELECT detail, lane_id IS NOT NULL AS "isOfLane", seq FROM operator_action WHERE reason = \'whose points are doubtful\'',
    );
    expect(rows).toEqual([{ detail: { program, operation: null, factor: 'member' }, isOfLane: true, seq: 0 }]);
  });
});

describe('lanes put off for a pause', () => {
  const sales = { operation: 'transaction', factor: null } as const;
  const rewards = { operation: 'reward', factor: null } as const;

  async function deferLane(member: string, dueAt: number): Promise<void> {
    await new Till(store).record(purchase(`${member}-p`, member));
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: completion(lease, 'retry', { dueAt }) }));
  }

  it('are not claimed, and due again when nothing holds them any more, only they', async () => {
    await deferLane('mT', deferredUntil(sales, now));
    await deferLane('mR', deferredUntil(rewards, now));
    await deferLane('mF', deferredUntil({ operation: 'reward', factor: 'reward:9002' }, now));
    expect(await claim(store, { now: now + 366 * 86_400_000 })).toEqual([]);
    const targets = notHeldRanges([rewards, { operation: 'reward', factor: 'reward:9002' }]).flatMap((range) => [
      { program, ...range },
      { program: 'another', ...range },
    ]);
    expect(await resumeLanes(store.database, { targets, now: now + 1 })).toBe(1);
    expect(await laneOf(store, 'mT')).toMatchObject({ due_at: now + 1, attempt: 0, cur_seq: 1 });
    expect(await laneOf(store, 'mR')).toMatchObject({ due_at: deferredUntil(rewards, now) });
    expect(await resumeLanes(store.database, { targets, now: now + 1 })).toBe(0);
  });

  it('are tried one by one, the last one first, those that were tried before apart', async () => {
    const held = { operation: 'reward', factor: 'reward:9003' } as const;
    const { from, fresh } = deferredRange(held);
    for (const [member, at] of [
      ['mA', null],
      ['mB', now],
      ['mC', now + 5_000],
    ] as const) {
      await deferLane(member, deferredUntil(held, at));
    }
    const recall = async (range: { readonly from: number; readonly to: number }): Promise<number> =>
      recallLane(store.database, { targets: [{ program, ...range }], now: now + 9 });
    const due = async (): Promise<number[]> =>
      Promise.all(['mA', 'mB', 'mC'].map(async (member) => Number((await laneOf(store, member)).due_at === now + 9)));
    expect([await recall(fresh), await due()]).toEqual([1, [0, 0, 1]]);
    expect([await recall(fresh), await due()]).toEqual([1, [0, 1, 1]]);
    expect(await recall(fresh)).toBe(0);
    expect([await recall({ from, to: from }), await due()]).toEqual([1, [1, 1, 1]]);
  });

  it('are found by the index, however many stay put off: a sweep beside a million of them took a second', async () => {
    const at = (time: number): string => new Date(time).toISOString();
    await store.sql(
      `INSERT INTO lane (lane_id, program_id, tail_seq, due_at)
       SELECT 1000000 + i, 'stuck', 1, $1::timestamptz FROM generate_series(1, 50000) i`,
      at(deferredUntil(sales, now)),
    );
    await store.sql('ANALYZE lane');
    const ranges = notHeldRanges([sales]);
    const plan = await store.sql<{ 'QUERY PLAN': string }>(
      `EXPLAIN ${resumeLanesStatement.text}`,
      ranges.map(() => 'stuck'),
      ranges.map(({ from }) => at(from)),
      at(now),
      ranges.map(({ to }) => at(to)),
    );
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).toContain('lane_due');
    expect(lines).not.toContain('Seq Scan on lane');
    await store.sql(`DELETE FROM lane WHERE program_id = 'stuck'`);
  });
});
