import type { Program } from '#contracts';
import { liftPause, listPauses, setPause } from '#intents';
import { waitUntil } from '#embedded';
import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

import { DeliveryFixture } from './testing/delivery-fixture.js';
import { exampleProgram, report } from './testing/engine-harness.js';

let test: TestDatabase;
let house: DeliveryFixture;

beforeEach(async () => {
  test = await testDatabase();
  house = await DeliveryFixture.open(test.url);
});

afterEach(async () => {
  await house.close();
  await test.dispose();
});

function programOf(change: Partial<Program['limits']> = {}): Program {
  const limits = { requestsPerSecond: null, concurrency: null, replayShare: 0.2, ...change };
  return { ...exampleProgram(), limits };
}

async function until(what: string, condition: () => Promise<boolean> | boolean, timeoutMs = 20_000): Promise<void> {
  await waitUntil(condition, { what, timeoutMs });
}

/** Calls in the busiest second. */
function busiest(times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}

function pauseOf(program: string | null, operation: 'transaction' | null = null) {
  return { program, operation, by: 'ada', reason: 'spec', automatic: false, now: house.clock.now() };
}

/** A second, and room for a machine that runs other tests beside it; who missed a poll would take a second more. */
const busySecondMs = 1_400;

describe('two delivery loops on one database', () => {
  it('share a rate and a concurrency, and both work', async () => {
    await house.record({ program: 'p', members: 600 });
    house.partner.latencyMs = 30;
    const programs = { p: programOf({ requestsPerSecond: 60, concurrency: 5 }) };
    const owners = new Set<string>();
    const [startedAt] = [house.clock.now(), house.start(programs), house.start(programs)];
    await until('200 calls', async () => {
      for (const { owner } of await house.sql<{ owner: string }>('SELECT DISTINCT owner FROM lane')) owners.add(owner);
      return house.partner.calls.length >= 200;
    });
    const seconds = (house.clock.now() - startedAt) / 1_000;
    const times = house.partner.calls.map(({ at }) => at);
    // A tenth of the rate may come as a burst; while they meet, half a second's worth may be on top.
    expect(busiest(times)).toBeLessThanOrEqual(60 * 1.1 + 30);
    expect(busiest(times.filter((at) => at > startedAt + 1_500))).toBeLessThanOrEqual(60 * 1.1 + 2);
    expect(times.length / seconds).toBeGreaterThanOrEqual(40);
    expect(house.partner.mostAtOnce.get('p')).toBeLessThanOrEqual(5 + 3);
    owners.delete(null as unknown as string);
    expect(owners.size).toBe(2);
  });

  it('see a pause within a second, finish what is under way, and go on within a second when it is lifted', async () => {
    await house.record({ program: 'p', members: 3_000, operations: ['transaction', 'transaction'] });
    house.partner.latencyMs = 50;
    const programs = { p: programOf({ concurrency: 40 }) };
    house.start(programs);
    house.start(programs);
    await until('some calls', () => house.partner.calls.length > 100);
    const { pause } = await setPause(house.database, pauseOf('p'));
    await house.clock.sleep(2_000);
    const last = house.partner.calls.at(-1)?.at ?? 0;
    expect(last).toBeLessThanOrEqual(pause.since + 1_000);
    const held = 'SELECT lane_id FROM lane WHERE owner IS NOT NULL';
    await until('every lane to be given back', async () => (await house.sql(held)).length === 0, 3_000);
    const liftedAt = house.clock.now();
    await liftPause(house.database, pauseOf('p'));
    await until('calls again', () => (house.partner.calls.at(-1)?.at ?? 0) > last);
    expect((house.partner.calls.find(({ at }) => at > last)?.at ?? Infinity) - liftedAt).toBeLessThanOrEqual(
      busySecondMs,
    );
    const wasted = await house.sql(`SELECT FROM intent_event WHERE type NOT IN ('AttemptBegun', 'AttemptApplied')`);
    expect(wasted).toEqual([]);
  });

  it('put off what is paused, without a trace; the rest of the program goes on', async () => {
    // 900 members with a reward; 500 of them have a purchase before it, which goes first.
    await house.record({ program: 'p', members: 500 });
    await house.record({ program: 'p', members: 900, operations: ['reward'] });
    await setPause(house.database, pauseOf('p', 'transaction'));
    const programs = { p: programOf({ concurrency: 16 }) };
    house.start(programs);
    house.start(programs);
    await until('the rewards', async () => (await house.delivered('p')) >= 400);
    await house.clock.sleep(300);
    expect(await house.delivered('p')).toBe(400);
    await liftPause(house.database, pauseOf('p', 'transaction'));
    await until('everything', async () => (await house.delivered('p')) === 500 + 900);
  });

  it('rest both when the partner asks one of them to', async () => {
    await house.record({ program: 'p', members: 2_000 });
    house.partner.latencyMs = 20;
    const programs = { p: programOf({ concurrency: 8 }) };
    house.start(programs);
    house.start(programs);
    await until('some calls', () => house.partner.calls.length > 100);
    const tooMany = { kind: 'not-applied', code: 'too-many-requests', answered: false, systemic: false } as const;
    let askedAt = Infinity;
    house.partner.answer = () => {
      const isFirst = askedAt === Infinity;
      if (isFirst) askedAt = house.clock.now();
      const outcome = isFirst ? { ...tooMany, retryAfterMs: 3_000 } : ({ kind: 'applied' } as const);
      return report(outcome) as ReturnType<typeof house.partner.answer>;
    };
    await until('calls after the rest', () => (house.partner.calls.at(-1)?.at ?? 0) >= askedAt + 3_000);
    expect(house.partner.calls.filter(({ at }) => at > askedAt + 1_000 && at < askedAt + 3_000)).toEqual([]);
  });

  it('leave no lease, no replica and no open attempt behind when they are drained in the middle of it', async () => {
    await house.record({ program: 'p', members: 2_000 });
    house.partner.latencyMs = 20;
    const programs = { p: programOf() };
    house.start(programs);
    house.start(programs);
    await until('some calls', () => house.partner.calls.length > 200);
    await house.drain();
    expect(await house.sql('SELECT FROM lane WHERE owner IS NOT NULL OR attempt_open')).toEqual([]);
    expect(await house.sql('SELECT FROM replica')).toEqual([]);
    expect(house.troubles).toEqual([]);
    expect(await house.delivered('p')).toBe(house.partner.calls.length);
  });

  it('pause by themselves what is refused for everybody: once, told once, and hardly anything is parked', async () => {
    await house.record({ program: 'p', members: 500 });
    const refused = { kind: 'rejected', code: 'refused', message: 'template 11 is not active' } as const;
    house.partner.answer = () => report(refused) as ReturnType<typeof house.partner.answer>;
    const programs = { p: { ...programOf({ concurrency: 8 }), autoPause: { sameRefusals: 10 } } };
    house.start(programs);
    house.start(programs);
    await until('the pause', async () => (await listPauses(house.database)).length > 0);
    await house.clock.sleep(1_500);
    expect(await listPauses(house.database)).toMatchObject([
      { program: 'p', operation: 'transaction', automatic: true },
    ]);
    expect(house.observations.filter(({ kind }) => kind === 'auto-paused')).toHaveLength(1);
    const parked = await house.sql(`SELECT FROM intent_event WHERE type = 'IntentParked'`);
    expect(parked.length).toBeLessThanOrEqual(2 * 9);
    house.partner.answer = () => report({ kind: 'applied' }) as ReturnType<typeof house.partner.answer>;
    await liftPause(house.database, pauseOf('p', 'transaction'));
    await until('the rest', async () => (await house.delivered('p')) === 500 - parked.length);
  });

  it('stop counting a loop that died: the other takes over its share', async () => {
    await house.record({ program: 'p', members: 1_000 });
    house.partner.latencyMs = 50;
    const programs = { p: programOf({ concurrency: 8 }) };
    // A replica that was killed: its row is all that is left of it.
    const at = new Date(house.clock.now()).toISOString();
    await house.sql(
      `INSERT INTO replica VALUES ('00000000-0000-4000-8000-000000000001', $1::timestamptz, $1::timestamptz,
         '{"p": 1}')`,
      at,
    );
    house.start(programs);
    await until('calls', () => house.partner.calls.length > 20);
    expect(house.partner.mostAtOnce.get('p')).toBe(4);
    await until('the whole limit', () => house.partner.mostAtOnce.get('p') === 8, 6_000);
  });
});

describe('a program that gets nowhere', () => {
  it.each<[string, Partial<Program['limits']>, boolean]>([
    ['limited', { requestsPerSecond: 2, concurrency: 1 }, false],
    ['paused', {}, true],
  ])('costs the others nothing: %s', async (_, limits, isPaused) => {
    await house.record({ program: 'stuck', members: 4_000 });
    await house.record({ program: 'free', members: 1_000 });
    if (isPaused) await setPause(house.database, pauseOf('stuck'));
    const programs = { stuck: programOf(limits), free: programOf() };
    const startedAt = house.clock.now();
    house.start(programs);
    house.start(programs);
    await until('all of the free program', async () => (await house.delivered('free')) === 1_000, 10_000);
    const seconds = (house.clock.now() - startedAt) / 1_000;
    expect(house.partner.callsOf('stuck').length).toBeLessThanOrEqual(isPaused ? 0 : 2 * seconds + 3);
  });

  it('costs the others nothing: slow, with all its calls under way', async () => {
    await house.record({ program: 'slow', members: 1_000 });
    await house.record({ program: 'free', members: 500 });
    const take = house.partner.createTransaction.bind(house.partner);
    house.partner.createTransaction = async (command, options) => {
      if (command.brandId === 'slow') await house.clock.sleep(1_500);
      return take(command, options);
    };
    const programs = { slow: programOf(), free: programOf() };
    house.start(programs);
    await until('all of the free program', async () => (await house.delivered('free')) === 500, 5_000);
  });

  it('costs the others nothing: one member with hundreds of intents among many with one', async () => {
    await house.record({ program: 'p', members: 1, operations: Array.from({ length: 120 }, () => 'transaction') });
    await house.record({ program: 'p', members: 301, operations: ['reward'] });
    const programs = { p: programOf({ concurrency: 4 }) };
    house.start(programs);
    house.start(programs);
    const others = (): number => new Set(house.partner.calls.map(({ uniqueId }) => uniqueId)).size;
    await until('a call for every member', () => others() === 301);
    const ofHotLane = house.partner.calls.filter(({ uniqueId }) => uniqueId === 'm_0').length;
    expect(ofHotLane).toBeLessThan(120);
    await until('the rest', async () => (await house.delivered('p')) === 421);
  });
});
