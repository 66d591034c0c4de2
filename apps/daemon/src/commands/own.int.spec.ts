import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import { runDisown, runOwn, shardOf } from './own.js';
import { answerOf } from './testing/answer-of.js';

describe('loyaltyd own and disown', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase();
    await queryOnce(
      database.ownerUrl,
      "INSERT INTO ownership (epoch, place, state, since) VALUES (1, database_place(), 'held', now())",
    );
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    await database.dispose();
  });

  /** What a command answers: its exit code and what it writes. */
  async function answer(command: typeof runOwn, othersAreGone = false): Promise<[number, string]> {
    const env = { DATABASE_URL: database.ownerUrl };
    return answerOf(async () => command(env, { by: 'ann', reason: 'a move', othersAreGone }));
  }

  it('give the epoch up and back, and remember who did and why', async () => {
    expect(await answer(runOwn)).toEqual([2, expect.stringContaining('epoch 1 is this database’s already')]);
    expect(await answer(runDisown)).toEqual([0, expect.stringContaining('released: a copy')]);
    expect(await answer(runOwn)).toEqual([2, expect.stringContaining('--others-are-gone')]);
    expect(await answer(runOwn, true)).toEqual([0, expect.stringContaining('epoch 2 is given to')]);
    const actions = await queryOnce(database.ownerUrl, 'SELECT actor, action, reason FROM operator_action ORDER BY 2');
    expect(actions).toEqual([
      { actor: 'ann', action: 'database.disown', reason: 'a move' },
      { actor: 'ann', action: 'database.own', reason: 'a move' },
    ]);
  });
});

describe('the partitions of a shard', () => {
  it.each([
    ['0-2,5', [0, 1, 2, 5]],
    ['3,1', [1, 3]],
    ['0-6', null],
    ['2-1', null],
    ['one', null],
  ])('are numbers and ranges below how many there are: %s', (partitions, numbers) => {
    expect(shardOf({ partitions, of: '6', shop: 'coffee' })?.partitions ?? null).toEqual(numbers);
  });

  it('are of a shop with a plain name', () => {
    expect(shardOf({ partitions: '0', of: '6', shop: 'Coffee shop' })).toBeNull();
  });
});
