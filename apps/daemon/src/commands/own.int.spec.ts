import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import { runDisown, runOwn } from './own.js';

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
    let text = '';
    const write = (chunk: unknown): boolean => {
      text += String(chunk);
      return true;
    };
    jest.spyOn(process.stdout, 'write').mockImplementation(write);
    jest.spyOn(process.stderr, 'write').mockImplementation(write);
    const env = { DATABASE_URL: database.ownerUrl };
    const code = await command(env, { by: 'ann', reason: 'a move', othersAreGone });
    jest.restoreAllMocks();
    return [code, text];
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
