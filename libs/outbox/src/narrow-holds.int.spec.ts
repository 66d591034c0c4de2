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

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
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

/** Lanes that wait for the end of a hold. */
async function deferred(): Promise<number> {
  return (await fixture.sql(`SELECT FROM lane WHERE due_at > '2900-01-01' AND owner IS NULL`)).length;
}

it('an ended campaign holds that reward on every replica and nothing else, and ends by itself when it runs again', async () => {
  await fixture.record({ program: 'p', members: 80, operations: ['reward'], rewardId: dessert });
  await fixture.record({ program: 'p', members: 40, from: 80, operations: ['reward'], rewardId: coffee });
  await fixture.record({ program: 'p', members: 40, from: 120 });
  fixture.partner.answer = (command) => (isOf(command, dessert) ? refused : applied);
  fixture.start(programs);
  fixture.start(programs);
  await until('everything else', async () => (await fixture.delivered('p')) === 80);
  await until(
    'the desserts to be parked or held',
    async () => (await deferred()) + (await parkedFor('rejected')) === 80,
  );
  expect(await pauses.list()).toMatchObject([
    { program: 'p', operation: 'reward', factor: `reward:${dessert}`, automatic: true },
  ]);
  const parked = await parkedFor('rejected');
  expect(parked).toBeLessThanOrEqual(2 * 19);
  fixture.partner.answer = () => applied;
  await until('the desserts that were held', async () => (await fixture.delivered('p')) === 160 - parked);
  expect(await pauses.list()).toEqual([]);
  expect(fixture.observations.filter(({ kind }) => kind === 'auto-resumed')).toHaveLength(1);
});

it('members who are refused for their own sake, one after the other, hold those who are served for seconds only', async () => {
  await fixture.record({ program: 'p', members: 24, operations: ['reward'], rewardId: coffee });
  const isPoor = ({ uniqueId }: PartnerCommand): boolean => Number(uniqueId.slice(2)) < 24;
  fixture.partner.answer = (command) => (isPoor(command) ? refused : applied);
  fixture.start(programs);
  await until('the hold', async () => (await pauses.list()).length === 1);
  await fixture.record({ program: 'p', members: 10, from: 24, operations: ['reward'], rewardId: coffee });
  await until('who has the points', async () => (await fixture.delivered('p')) === 10);
  await until('each of the others to be parked', async () => (await parkedFor('rejected')) === 24);
  expect(await pauses.list()).toEqual([]);
});

it('one reward that answers 5xx rests by itself: sales and the breaker do not hear of it', async () => {
  await fixture.record({ program: 'p', members: 60, operations: ['reward'], rewardId: dessert });
  fixture.partner.answer = (command) => (isOf(command, dessert) ? unavailable : applied);
  const loop = fixture.start(programs);
  await until('the hold', async () => (await pauses.list()).length === 1);
  await fixture.record({ program: 'p', members: 40, from: 60 });
  await until('the sales', async () => (await fixture.delivered('p')) === 40);
  expect(loop.gates.get('p')).toMatchObject({ breaker: 'closed', since: null });
  expect(await pauses.list()).toMatchObject([{ factor: `reward:${dessert}` }]);
  // What was under way when it was found, and what was tried since.
  expect(await parkedFor('unknown-outcome')).toBeLessThanOrEqual(20);
  expect(await deferred()).toBeGreaterThanOrEqual(40);
});
