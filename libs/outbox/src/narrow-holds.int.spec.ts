import { waitUntil } from '#embedded';
import type { PartnerCommand } from '#intents/core';
import { PauseRepository } from '#intents';
import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

import { DeliveryFixture } from './testing/delivery-fixture.js';
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

async function awaits(what: string, condition: () => Promise<boolean>): Promise<void> {
  await waitUntil(condition, { what, timeoutMs: 60_000 });
}

const programs = { p: { ...exampleProgram(), autoPause: { sameRefusals: 20 } } };
type Answer = ReturnType<typeof fixture.partner.answer>;
const applied = report({ kind: 'applied' }) as Answer;
const refused = report({ kind: 'rejected', code: 'refused', message: 'This reward has ended' }) as Answer;
const unavailable = report({ kind: 'unknown', code: 'http-503', retryAfterMs: null }) as Answer;

const dessert = '9002';
const coffee = '9001';
const isOf = (command: PartnerCommand, rewardId: string): boolean =>
  command.operation === 'reward' && command.rewardId === rewardId;

async function parkedFor(reason: string): Promise<number> {
  const rows = await fixture.sql(`SELECT FROM intent_standing WHERE status = 'parked' AND reason = $1`, reason);
  return rows.length;
}

const held = (): Promise<number> => parkedFor('held');

it('an ended campaign holds that reward on every replica and nothing else, and ends by itself when it runs again', async () => {
  await fixture.record({ program: 'p', members: 80, operations: ['reward'], rewardId: dessert });
  await fixture.record({ program: 'p', members: 40, from: 80, operations: ['reward'], rewardId: coffee });
  await fixture.record({ program: 'p', members: 40, from: 120 });
  fixture.partner.answer = (command) => (isOf(command, dessert) ? refused : applied);
  fixture.start(programs);
  fixture.start(programs);
  await awaits('everything else', async () => (await fixture.delivered('p')) === 80);
  await awaits('the desserts to be parked or held', async () => (await held()) + (await parkedFor('rejected')) === 80);
  expect(await pauses.list(fixture.clock.now())).toMatchObject([
    { program: 'p', operation: 'reward', factor: `reward:${dessert}`, automatic: true },
  ]);
  const parked = await parkedFor('rejected');
  expect(parked).toBeLessThanOrEqual(2 * 19);
  fixture.partner.answer = () => applied;
  await awaits('the desserts that were held', async () => (await fixture.delivered('p')) === 160 - parked);
  expect(await pauses.list(fixture.clock.now())).toEqual([]);
  expect(fixture.observations.filter(({ kind }) => kind === 'auto-resumed')).toHaveLength(1);
});

it('members who are refused for their own sake, one after the other, hold those who are served for seconds only', async () => {
  await fixture.record({ program: 'p', members: 24, operations: ['reward'], rewardId: coffee });
  const isPoor = ({ uniqueId }: PartnerCommand): boolean => Number(uniqueId.slice(2)) < 24;
  fixture.partner.answer = (command) => (isPoor(command) ? refused : applied);
  fixture.start(programs);
  await awaits('the hold', async () => (await pauses.list(fixture.clock.now())).length === 1);
  await fixture.record({ program: 'p', members: 10, from: 24, operations: ['reward'], rewardId: coffee });
  await awaits('who has the points', async () => (await fixture.delivered('p')) === 10);
  await awaits('each of the others to be parked', async () => (await parkedFor('rejected')) === 24);
  expect(await pauses.list(fixture.clock.now())).toEqual([]);
});

it('one reward that answers 5xx rests by itself: sales and the breaker do not hear of it', async () => {
  await fixture.record({ program: 'p', members: 60, operations: ['reward'], rewardId: dessert });
  fixture.partner.answer = (command) => (isOf(command, dessert) ? unavailable : applied);
  const loop = fixture.start(programs);
  await awaits('the hold', async () => (await pauses.list(fixture.clock.now())).length === 1);
  await fixture.record({ program: 'p', members: 40, from: 60 });
  await awaits('the sales', async () => (await fixture.delivered('p')) === 40);
  expect(loop.gates.get('p')).toMatchObject({ breaker: 'closed', since: null });
  expect(await pauses.list(fixture.clock.now())).toMatchObject([{ factor: `reward:${dessert}` }]);
  // What was under way when it was found, and what was tried since.
  expect(await parkedFor('unknown-outcome')).toBeLessThanOrEqual(20);
  expect(await held()).toBeGreaterThanOrEqual(40);
});

describe('what a member is owed besides what is held', () => {
  const pause = {
    operation: 'reward',
    factor: `reward:${dessert}`,
    reason: 'ended',
    automatic: false,
    by: 'ada',
  } as const;
  const appliedOf = async (operation: string): Promise<number> =>
    (
      await fixture.sql(
        `SELECT FROM intent_history h JOIN intent USING (lane_id, seq) WHERE type = 'AttemptApplied' AND operation = $1`,
        operation,
      )
    ).length;

  it('goes out while a reward is held all day, and the reward follows when it is held no more', async () => {
    await pauses.set({ program: 'p', ...pause, now: fixture.clock.now() });
    await fixture.record({ program: 'p', members: 30, operations: ['reward', 'transaction'], rewardId: dessert });
    fixture.start(programs);
    fixture.start(programs);
    await awaits('the sales', async () => (await appliedOf('transaction')) === 30);
    expect(await held()).toBe(30);
    expect(await appliedOf('reward')).toBe(0);
    await pauses.lift({ program: 'p', ...pause, now: fixture.clock.now() });
    await awaits('the rewards', async () => (await appliedOf('reward')) === 30);
    expect(await held()).toBe(0);
  });

  it('goes out once the time of the hold is over, which both replicas know by themselves, and the audit has', async () => {
    const until = fixture.clock.now() + 1_500;
    const audit = { at: fixture.clock.now(), actor: 'ada', address: null, reason: 'mended by then' };
    const { operation, factor } = pause;
    await pauses.setByOperator({ program: 'p', operation, factor, until }, audit);
    await fixture.record({ program: 'p', members: 20, operations: ['reward', 'transaction'], rewardId: dessert });
    fixture.start(programs);
    fixture.start(programs);
    await awaits('the sales', async () => (await appliedOf('transaction')) === 20);
    expect(await appliedOf('reward')).toBe(0);
    await awaits('the rewards', async () => (await appliedOf('reward')) === 20);
    expect(fixture.clock.now()).toBeGreaterThanOrEqual(until);
    await awaits('the audit', async () => {
      return (await fixture.sql(`SELECT FROM operator_action WHERE action = 'pause.lift'`)).length === 1;
    });
    expect(await held()).toBe(0);
  });

  it('waits as a whole where the member is held, and nobody else does; it goes out in its order afterwards', async () => {
    await fixture.record({ program: 'p', members: 5, operations: ['reward', 'transaction'], rewardId: coffee });
    const [first] = await fixture.sql<{ memberId: string }>(
      'SELECT member_id AS "memberId" FROM member ORDER BY lane_id LIMIT 1',
    );
    const member = { program: 'p', operation: null, factor: `member:${first?.memberId ?? ''}`, by: 'ada' } as const;
    await pauses.set({ ...member, reason: 'whose points are doubtful', automatic: false, now: fixture.clock.now() });
    fixture.start(programs);
    await awaits('the others', async () => (await appliedOf('transaction')) === 4);
    await awaits('the lane to be deferred', async () => {
      return (await fixture.sql(`SELECT FROM lane WHERE due_at > '2900-01-01' AND owner IS NULL`)).length === 1;
    });
    expect([await held(), await appliedOf('reward')]).toEqual([0, 4]);
    await pauses.lift({ ...member, reason: 'they are right', now: fixture.clock.now() });
    await awaits('the last', async () => (await appliedOf('transaction')) === 5);
    expect(await appliedOf('reward')).toBe(5);
  });

  it('waits behind a reward that may have been given, and behind all rewards where the operation is paused', async () => {
    await pauses.set({ program: 'p', ...pause, factor: null, now: fixture.clock.now() });
    await fixture.record({ program: 'p', members: 5, operations: ['reward', 'transaction'], rewardId: dessert });
    await fixture.record({ program: 'p', members: 5, from: 5 });
    fixture.start(programs);
    await awaits('the others', async () => (await appliedOf('transaction')) === 5);
    await awaits('the lanes to be deferred', async () => {
      return (await fixture.sql(`SELECT FROM lane WHERE due_at > '2900-01-01' AND owner IS NULL`)).length === 5;
    });
    expect(await held()).toBe(0);
  });

  it('goes out although the partner fails one reward: few grants are in doubt', async () => {
    fixture.partner.answer = (command) => (isOf(command, dessert) ? unavailable : applied);
    fixture.start(programs);
    await fixture.record({ program: 'p', members: 100, operations: ['reward', 'transaction'], rewardId: dessert });
    await awaits('the sales', async () => (await appliedOf('transaction')) === 100);
    expect(await parkedFor('unknown-outcome')).toBeLessThanOrEqual(30);
  });
});
