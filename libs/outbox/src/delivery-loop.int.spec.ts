import type { Program } from '#contracts';
import { PauseRepository, rebuildLanes, recordLateOutcomes } from '#intents';
import { waitUntil } from '#embedded';
import { PostgresConnection } from '#platform';
import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

import { DeliveryFixture, leaseMsEndless } from './testing/delivery-fixture.js';
import { exampleProgram, report } from './testing/engine-harness.js';

let test: TestDatabase;
let fixture: DeliveryFixture;
let pauses: PauseRepository;

beforeEach(async () => {
  test = await testDatabase();
  fixture = await DeliveryFixture.open(test.url);
  pauses = new PauseRepository(fixture.database);
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

/** As the command does, which takes the owner of the tables. */
async function rebuildAsOwner(): Promise<void> {
  const settings = { poolSize: 2, ssl: false as const, applicationName: 'rebuild-spec', migrations: [] };
  const owner = new PostgresConnection({ url: test.ownerUrl, ...settings, onPoolError: () => undefined });
  await owner.connect();
  await rebuildLanes(owner.database, fixture.clock.now());
  await owner.close();
}

function programOf(change: Partial<Program['limits']> = {}): Program {
  const limits = { requestsPerSecond: null, concurrency: null, replayShare: 0.2, ...change };
  return { ...exampleProgram(), limits };
}

async function until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
  await waitUntil(condition, { what, timeoutMs: 60_000 });
}

/**
 * Until each loop has told the others of itself so often from now on. It hears of pauses and rests with each: of two one
 * at least has begun after this.
 */
async function reports(times: number): Promise<void> {
  const text = `SELECT replica_id AS id, heartbeat_at::text AS at FROM replica`;
  const seen = new Map<string, Set<string>>();
  await until(`${times} reports`, async () => {
    for (const { id, at } of await fixture.sql<{ id: string; at: string }>(text)) {
      seen.set(id, (seen.get(id) ?? new Set()).add(at));
    }
    return seen.size > 0 && [...seen.values()].every(({ size }) => size > times);
  });
}

async function nothingIsHeld(): Promise<void> {
  const held = 'SELECT lane_id FROM lane WHERE owner IS NOT NULL';
  await until('every lane to be given back', async () => (await fixture.sql(held)).length === 0);
}

function pauseOf(program: string | null, operation: 'transaction' | null = null) {
  return { program, operation, by: 'ada', reason: 'spec', automatic: false, now: fixture.clock.now() };
}

describe('two delivery loops on one database', () => {
  it('share a rate and a concurrency, and both work', async () => {
    await fixture.record({ program: 'p', members: 600 });
    fixture.partner.latencyMs = 30;
    const programs = { p: programOf({ requestsPerSecond: 60, concurrency: 5 }) };
    const owners = new Set<string>();
    const [startedAt] = [fixture.clock.now(), fixture.start(programs), fixture.start(programs)];
    await until('200 calls', async () => {
      for (const { owner } of await fixture.sql<{ owner: string }>('SELECT DISTINCT owner FROM lane')) {
        owners.add(owner);
      }
      return fixture.partner.calls.length >= 200;
    });
    // A tenth of the rate may come as a burst; while they meet, half a second's worth may be on top. A busy machine only
    // widens it; limit-share.unit.spec.ts and program-gate.unit.spec.ts count second by second, in a time of their own.
    const calls = fixture.partner.calls.length;
    const seconds = (fixture.clock.now() - startedAt) / 1_000;
    expect(calls).toBeLessThanOrEqual(60 * seconds + 6 + 30);
    expect(fixture.partner.mostAtOnce.get('p')).toBeLessThanOrEqual(5 + 3);
    owners.delete(null as unknown as string);
    expect(owners.size).toBe(2);
  });

  it('ask for pauses, and tell of themselves, more often than once a second', () => {
    const { coordinationMs, coordinationIdleMs, idlePollMsMax } = fixture.settings;
    expect(Math.max(coordinationMs, coordinationIdleMs, idlePollMsMax)).toBeLessThanOrEqual(1_000);
    const after = jest.spyOn(fixture.clock, 'after');
    fixture.start({ p: programOf() });
    expect(after.mock.calls.map(([ms]) => ms)).toContain(coordinationIdleMs);
  });

  it('see a pause by their next report, finish what is under way, and go on when it is lifted', async () => {
    await fixture.record({ program: 'p', members: 3_000, operations: ['transaction', 'transaction'] });
    fixture.partner.latencyMs = 50;
    const programs = { p: programOf({ concurrency: 40 }) };
    fixture.start(programs);
    fixture.start(programs);
    await until('some calls', () => fixture.partner.calls.length > 100);
    await pauses.set(pauseOf('p'));
    await reports(2);
    await nothingIsHeld();
    const made = fixture.partner.calls.length;
    await reports(2);
    expect(fixture.partner.calls).toHaveLength(made);
    await pauses.lift(pauseOf('p'));
    await until('calls again', () => fixture.partner.calls.length > made);
    const wasted = await fixture.sql(`SELECT FROM intent_history WHERE type NOT IN ('AttemptBegun', 'AttemptApplied')`);
    expect(wasted).toEqual([]);
  });

  it('find what nobody told them of, claim nothing in between, and have seen the pause before', async () => {
    fixture.hearsOthers = true;
    await fixture.record({ program: 'p', members: 1 });
    const programs = { p: programOf() };
    fixture.start(programs);
    await until('the first', async () => (await fixture.delivered('p')) === 1);
    await nothingIsHeld();
    await reports(2);
    const heldSince = 'SELECT epoch FROM lane';
    const [before] = await fixture.sql(heldSince);
    await reports(3);
    expect(await fixture.sql(heldSince)).toEqual([before]);
    await pauses.set(pauseOf('p'));
    await reports(2);
    await fixture.record({ program: 'p', members: 5 });
    await reports(3);
    expect(fixture.partner.calls).toHaveLength(1);
    await pauses.lift(pauseOf('p'));
    await until('the others', async () => (await fixture.delivered('p')) === 6);
    await reports(2);
    await fixture.record({ program: 'p', members: 10 });
    await until('what nobody told of', async () => (await fixture.delivered('p')) === 16);
  });

  it('put off what is paused, without a trace; the rest of the program goes on', async () => {
    // 900 members with a reward; 500 of them have a purchase before it, which goes first.
    await fixture.record({ program: 'p', members: 500 });
    await fixture.record({ program: 'p', members: 900, operations: ['reward'] });
    await pauses.set(pauseOf('p', 'transaction'));
    const programs = { p: programOf({ concurrency: 16 }) };
    fixture.start(programs);
    fixture.start(programs);
    await until('the rewards', async () => (await fixture.delivered('p')) >= 400);
    await reports(2);
    expect(await fixture.delivered('p')).toBe(400);
    await pauses.lift(pauseOf('p', 'transaction'));
    await until('everything', async () => (await fixture.delivered('p')) === 500 + 900);
  });

  it.each([
    ['for an hour', 3_600_000],
    ['for half a second, and go on then', 500],
  ])('rest both when the partner asks one of them to: %s', async (_what, retryAfterMs) => {
    await fixture.record({ program: 'p', members: 2_000 });
    fixture.partner.latencyMs = 20;
    const programs = { p: programOf({ concurrency: 8 }) };
    fixture.start(programs);
    fixture.start(programs);
    await until('some calls', () => fixture.partner.calls.length > 100);
    const tooMany = { kind: 'not-applied', code: 'too-many-requests', answered: false, systemic: false } as const;
    let hasAsked = false;
    fixture.partner.answer = () => {
      const outcome = hasAsked ? ({ kind: 'applied' } as const) : { ...tooMany, retryAfterMs };
      hasAsked = true;
      return report(outcome) as ReturnType<typeof fixture.partner.answer>;
    };
    await until('the partner to ask', () => hasAsked);
    await reports(2);
    const made = fixture.partner.calls.length;
    if (retryAfterMs < 1_000) {
      await until('calls after the rest', () => fixture.partner.calls.length > made);
    } else {
      await reports(3);
      expect(fixture.partner.calls).toHaveLength(made);
    }
  });

  it('leave no lease, no replica and no open attempt behind when they are drained in the middle of it', async () => {
    await fixture.record({ program: 'p', members: 2_000 });
    fixture.partner.latencyMs = 20;
    const programs = { p: programOf() };
    fixture.start(programs);
    fixture.start(programs);
    await until('some calls', () => fixture.partner.calls.length > 200);
    await fixture.drain();
    expect(await fixture.sql('SELECT FROM lane WHERE owner IS NOT NULL OR attempt_open')).toEqual([]);
    expect(await fixture.sql('SELECT FROM replica')).toEqual([]);
    expect(fixture.troubles).toEqual([]);
    expect(await fixture.delivered('p')).toBe(fixture.partner.calls.length);
  });

  it('pause by themselves what is refused for everybody: once, told once, and hardly anything is parked', async () => {
    await fixture.record({ program: 'p', members: 500 });
    const refused = { kind: 'rejected', code: 'refused', message: 'template 11 is not active' } as const;
    fixture.partner.answer = () => report(refused) as ReturnType<typeof fixture.partner.answer>;
    const programs = { p: { ...programOf({ concurrency: 8 }), autoPause: { sameRefusals: 10 } } };
    fixture.start(programs);
    fixture.start(programs);
    await until('the pause', async () => (await pauses.list(fixture.clock.now())).length > 0);
    await reports(3);
    expect(await pauses.list(fixture.clock.now())).toMatchObject([
      { program: 'p', operation: 'transaction', automatic: true },
    ]);
    expect(fixture.observations.filter(({ kind }) => kind === 'auto-paused')).toHaveLength(1);
    const parked = await fixture.sql(
      `SELECT FROM intent_history WHERE type = 'IntentParked' AND data->>'reason' <> 'held'`,
    );
    expect(parked.length).toBeLessThanOrEqual(2 * 9);
    fixture.partner.answer = () => report({ kind: 'applied' }) as ReturnType<typeof fixture.partner.answer>;
    await pauses.lift(pauseOf('p', 'transaction'));
    await until('the rest', async () => (await fixture.delivered('p')) === 500 - parked.length);
  });

  it('stop counting a loop that died: the other takes over its share', async () => {
    await fixture.record({ program: 'p', members: 1_000 });
    fixture.partner.latencyMs = 50;
    const programs = { p: programOf({ concurrency: 8 }) };
    // A replica that was killed: its row is all that is left of it. It counts until we let its last word be old.
    const inAnHour = new Date(fixture.clock.now() + 3_600_000).toISOString();
    await fixture.sql(
      `INSERT INTO replica VALUES ('00000000-0000-4000-8000-000000000001', to_timestamp(0), $1::timestamptz, '{"p": 1}')`,
      inAnHour,
    );
    fixture.start(programs);
    await until('calls', () => fixture.partner.calls.length > 20);
    expect(fixture.partner.mostAtOnce.get('p')).toBe(4);
    await fixture.sql(`UPDATE replica SET heartbeat_at = to_timestamp(0) WHERE started_at = to_timestamp(0)`);
    await until('the whole limit', () => fixture.partner.mostAtOnce.get('p') === 8);
  });
});

describe('a member at a till beside an import', () => {
  const program = { p: programOf({ concurrency: 1 }) };
  const isBuyer = ({ uniqueId }: { readonly uniqueId: string }): boolean => Number(uniqueId.slice(2)) >= 1_000;

  it('is served before what was recorded earlier', async () => {
    await fixture.record({ program: 'p', members: 200, operations: ['update-via-workflow'] });
    await fixture.record({ program: 'p', members: 1, from: 1_000, operations: ['update-via-workflow', 'transaction'] });
    fixture.start(program);
    await until('some calls', () => fixture.partner.calls.length >= 4);
    expect(fixture.partner.calls.slice(0, 2).map(isBuyer)).toEqual([true, true]);
  });

  it('does not stop it, however many buy: one in eight calls at least is of the import', async () => {
    await fixture.record({ program: 'p', members: 100, operations: ['update-via-workflow'] });
    await fixture.record({ program: 'p', members: 200, from: 1_000 });
    fixture.start(program);
    await until('some calls', () => fixture.partner.calls.length >= 160);
    const ofImport = fixture.partner.calls.slice(0, 160).filter((call) => !isBuyer(call)).length;
    expect(ofImport).toBeGreaterThanOrEqual(16);
    expect(ofImport).toBeLessThanOrEqual(40);
  });
});

describe('a program that gets nowhere', () => {
  it.each<[string, Partial<Program['limits']>, boolean]>([
    ['limited', { requestsPerSecond: 2, concurrency: 1 }, false],
    ['paused', {}, true],
  ])('costs the others nothing: %s', async (_, limits, isPaused) => {
    await fixture.record({ program: 'stuck', members: 4_000 });
    await fixture.record({ program: 'free', members: 1_000 });
    if (isPaused) await pauses.set(pauseOf('stuck'));
    const programs = { stuck: programOf(limits), free: programOf() };
    const startedAt = fixture.clock.now();
    fixture.start(programs);
    fixture.start(programs);
    await until('all of the free program', async () => (await fixture.delivered('free')) === 1_000);
    // A busy machine only widens it.
    const calls = fixture.partner.callsOf('stuck').length;
    const seconds = (fixture.clock.now() - startedAt) / 1_000;
    expect(calls).toBeLessThanOrEqual(isPaused ? 0 : 2 * seconds + 3);
  });

  it('costs the others nothing: slow, with all its calls under way', async () => {
    await fixture.record({ program: 'slow', members: 1_000 });
    await fixture.record({ program: 'free', members: 500 });
    // They last until the others are done.
    fixture.settings = { ...fixture.settings, leaseMs: leaseMsEndless };
    const { promise: othersAreDone, resolve: goOn } = Promise.withResolvers<undefined>();
    let slowCalls = 0;
    const take = fixture.partner.send.bind(fixture.partner);
    fixture.partner.send = async (command) => {
      if (command.brandId === 'slow') {
        slowCalls += 1;
        await othersAreDone;
      }
      return take(command);
    };
    const programs = { slow: programOf(), free: programOf() };
    fixture.start(programs);
    await until('all of the free program', async () => (await fixture.delivered('free')) === 500);
    expect(slowCalls).toBeGreaterThan(0);
    expect(slowCalls).toBeLessThan(1_000);
    expect(fixture.partner.callsOf('slow')).toEqual([]);
    goOn(undefined);
  });

  it('costs the others nothing: one member with hundreds of intents among many with one', async () => {
    await fixture.record({ program: 'p', members: 1, operations: Array.from({ length: 120 }, () => 'transaction') });
    await fixture.record({ program: 'p', members: 301, operations: ['reward'] });
    const programs = { p: programOf({ concurrency: 4 }) };
    fixture.start(programs);
    fixture.start(programs);
    const others = (): number => new Set(fixture.partner.calls.map(({ uniqueId }) => uniqueId)).size;
    await until('a call for every member', () => others() === 301);
    const ofHotLane = fixture.partner.calls.filter(({ uniqueId }) => uniqueId === 'm_0').length;
    expect(ofHotLane).toBeLessThan(120);
    await until('the rest', async () => (await fixture.delivered('p')) === 421);
  });
});

describe('a late report that an attempt was applied', () => {
  /** The first answer is lost; while the second attempt is under way, it turns out that the first one was applied. */
  async function answeredLate(second: 'http-429' | 'refused'): Promise<void> {
    const { database, keys, clock, partner } = fixture;
    await fixture.record({ program: 'p', members: 1 });
    const lost = { kind: 'unknown', code: 'timeout', retryAfterMs: null } as const;
    const busy = {
      kind: 'not-applied',
      code: 'http-429',
      answered: true,
      systemic: false,
      retryAfterMs: null,
    } as const;
    const refused = { kind: 'rejected', code: 'refused', message: 'no' } as const;
    partner.answer = async () => {
      if (partner.calls.length === 1) return report(lost) as never;
      const [lane] = await fixture.sql<{ laneId: number }>('SELECT lane_id AS "laneId" FROM lane');
      const event = { type: 'LateOutcome', at: clock.now(), attempt: 1, outcome: 'applied', code: 'applied' } as const;
      const late = { key: null, laneId: lane?.laneId ?? 0, epoch: 0, seq: 1, event, evidence: null };
      await recordLateOutcomes(database, [late], keys);
      return report(second === 'refused' ? refused : busy) as never;
    };
    const program = programOf();
    const onUnknown = { ...program.onUnknown, transaction: 'resend' } as const;
    fixture.start({ p: { ...program, onUnknown, inFlightMs: 100 } });
    await until('the second answer', () => partner.calls.length >= 2);
  }

  it.each(['http-429', 'refused'] as const)(
    'settles the intent, which is not sent a third time, where the second answer is %s',
    async (second) => {
      await answeredLate(second);
      const text = `SELECT type FROM intent_history WHERE type IN ('VerifiedApplied', 'IntentParked') OR attempt > 2`;
      await until('a word about it', async () => (await fixture.sql(text)).length > 0);
      expect(await fixture.sql(text)).toEqual([{ type: 'VerifiedApplied' }]);
      expect(fixture.partner.calls).toHaveLength(2);
      await until('a lane at rest', async () => {
        const [lane] = await fixture.sql<{ due: string | null; owner: string | null; head: number }>(
          'SELECT due_at::text AS due, owner, head_seq AS head FROM lane',
        );
        return lane?.due === null && lane.owner === null && lane.head === 2;
      });
    },
  );
});

describe('a void that meets a call under way', () => {
  const lost = { kind: 'unknown', code: 'timeout', retryAfterMs: null } as const;
  const busy = { kind: 'not-applied', code: 'http-429', answered: true, systemic: false, retryAfterMs: null } as const;
  const refused = { kind: 'rejected', code: 'refused', message: 'no' } as const;
  const cause = { topic: 'loyalty.purchases', partition: 0, offset: 1, timeMs: expect.any(Number) as number };

  it.each([
    ['lost', lost, { type: 'IntentParked', data: { reason: 'unknown-outcome', lane: 'continue', cause } }],
    ['not applied', busy, { type: 'IntentCancelled', data: { by: 'source-event', reason: 'voided', cause } }],
    ['a refusal', refused, { type: 'IntentCancelled', data: { by: 'source-event', reason: 'voided', cause } }],
  ] as const)(
    'forbids that it is sent again, whatever the policy, where the answer is %s',
    async (_name, outcome, end) => {
      fixture.partner.answer = async () => {
        await fixture.void({ program: 'p', memberId: 'm_0', offset: 0 });
        return report(outcome) as never;
      };
      await fixture.record({ program: 'p', members: 1 });
      const program = programOf();
      const onUnknown = { ...program.onUnknown, transaction: 'resend' } as const;
      fixture.start({ p: { ...program, onUnknown, inFlightMs: 100 } });
      const text = `SELECT type, data FROM intent_history WHERE type IN ('IntentParked', 'IntentCancelled')`;
      await until('an end', async () => (await fixture.sql(text)).length > 0);
      expect(await fixture.sql(text)).toEqual([end]);
      await until('a lane at rest', async () => {
        const [lane] = await fixture.sql<{ head: number; due: string | null; owner: string | null }>(
          'SELECT head_seq AS head, due_at::text AS due, owner FROM lane',
        );
        return lane?.head === 2 && lane.due === null && lane.owner === null;
      });
      expect(fixture.partner.calls).toHaveLength(1);
      await fixture.drain();
      const lanes = 'SELECT version, head_seq, tail_seq, cur_seq, redo, ahead, pass, state FROM lane';
      const [before] = await fixture.sql<{ pass: string }>(lanes);
      await rebuildAsOwner();
      // The pass was said to be known behind the back of the events.
      expect(await fixture.sql(lanes)).toEqual([{ ...before, pass: 'unknown' }]);
    },
  );
});
