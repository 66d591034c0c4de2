import type { FreezingProxy, TestDatabase } from '#test-support';
import { openFreezingProxy, testDatabase, throughProxy } from '#test-support';

import { NoAnswerError } from './answer-limit.js';
import type { SqlStatement } from './database.js';
import { PostgresConnection } from './postgres-connection.js';

const readOne: SqlStatement = { name: 'read_one', text: 'SELECT 1 AS one' };
/** Long enough for a server that answers, on a busy machine. */
const limitMs = 1_000;
/** More connections than the pool may have had open when the server went. */
const triesMax = 10;
/** Longer than the limit; its answer comes in one piece. */
const slow: SqlStatement = { name: 'be_slow', text: `SELECT pg_sleep(${(3 * limitMs) / 1_000})` };
const noAnswer = { kind: 'unavailable', cause: expect.any(NoAnswerError) as unknown };

/** What the work brings once a server answers: on a busy machine it may be late at first. */
async function answered(work: () => Promise<unknown>): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === triesMax) throw error;
    }
  }
}

describe('a connection on which an answer is owed', () => {
  let test: TestDatabase;
  let proxy: FreezingProxy;
  let connection: PostgresConnection;

  async function connectionOf(url: string, answerMsMax: number): Promise<PostgresConnection> {
    const opened = new PostgresConnection({
      url,
      poolSize: 2,
      ssl: false,
      applicationName: 'answer-limit-spec',
      migrations: [],
      onPoolError: () => undefined,
      answerMsMax,
    });
    await opened.connect();
    return opened;
  }

  beforeEach(async () => {
    test = await testDatabase({ migrate: false });
    const url = new URL(test.url);
    proxy = await openFreezingProxy({ host: url.hostname, port: Number(url.port) });
    connection = await connectionOf(throughProxy(test.url, proxy), limitMs);
  });

  afterEach(async () => {
    connection.abandon();
    await connection.close();
    await proxy.close();
    await test.dispose();
  });

  // A primary that was powered off with statements under way held them until TCP gave up, a quarter of an hour later.
  it.each<[string, () => Promise<unknown>]>([
    ['statement', () => connection.database.execute(readOne)],
    ['transaction', () => connection.database.transaction('reading', (session) => session.query(readOne))],
  ])('is broken when the server has gone without a word: the %s fails as "unavailable"', async (_, work) => {
    await answered(work);
    proxy.freeze();
    await expect(work()).rejects.toMatchObject(noAnswer);
    proxy.heal();
    await expect(answered(work)).resolves.toMatchObject({ rows: [{ one: 1 }] });
  });

  it('is broken also where it had been idle for longer than the limit before', async () => {
    await connection.database.transaction('reading', async (session) => {
      await session.query(readOne);
      // Twice the limit without a word, and no answer owed: the other connection's statements measure the time.
      for (let passed = 0; passed < 2 * limitMs; passed += 50) {
        await connection.database.execute({ name: 'pass_time', text: 'SELECT pg_sleep(0.05)' });
      }
      expect(await session.query(readOne)).toMatchObject({ rows: [{ one: 1 }] });
    });
    proxy.freeze();
    await expect(connection.database.execute(readOne)).rejects.toMatchObject(noAnswer);
  });

  it('is waited for where the work may take long, and not longer than its transaction', async () => {
    await connection.database.transaction('taking_long', (session) => session.query({ ...slow, mayTakeLong: true }));
    await expect(connection.database.execute(slow)).rejects.toMatchObject(noAnswer);
  });

  it('has no limit of the server on what may take long', async () => {
    const timeout: SqlStatement = { name: 'read_timeout', text: "SELECT current_setting('statement_timeout') AS it" };
    const { rows } = await connection.database.transaction('taking_long', (session) =>
      session.query({ ...timeout, mayTakeLong: true }),
    );
    expect(rows).toEqual([{ it: '0' }]);
    expect(await connection.database.execute(timeout)).toMatchObject({ rows: [{ it: '30s' }] });
  });
});
