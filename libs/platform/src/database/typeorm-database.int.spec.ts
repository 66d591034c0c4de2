import { testDatabase, withClient } from '#test-support';
import type { TestDatabase } from '#test-support';
import pg, { type PoolClient } from 'pg';

import { waitUntil } from '#embedded';
import { createDataSource, type PooledDataSource } from './data-source.js';
import type { SqlStatement } from './database.js';
import { transactionAttemptsMax, TypeormDatabase } from './typeorm-database.js';

let test: TestDatabase;
let source: PooledDataSource;
let database: TypeormDatabase;
const poolSize = 2;

beforeAll(async () => {
  test = await testDatabase({ migrate: false });
  source = createDataSource({
    url: test.url,
    poolSize,
    ssl: false,
    applicationName: 'database-spec',
    migrations: [],
    onPoolError: () => undefined,
  });
  await source.initialize();
  database = new TypeormDatabase(source);
  await source.query(`
    CREATE TABLE kept (id int PRIMARY KEY);
    CREATE SEQUENCE tries;
    CREATE FUNCTION fail_until(tries_needed int, state text) RETURNS int LANGUAGE plpgsql AS $$
    DECLARE tried int := nextval('tries');
    BEGIN
      IF tried < tries_needed THEN RAISE EXCEPTION 'not yet' USING ERRCODE = state; END IF;
      RETURN tried;
    END $$`);
});

beforeEach(async () => {
  await source.query('TRUNCATE kept; ALTER SEQUENCE tries RESTART');
});

afterAll(async () => {
  await source.destroy();
  await test.dispose();
});

const insert: SqlStatement = { name: 'insert', text: 'INSERT INTO kept VALUES ($1)' };
const count: SqlStatement = { name: 'count', text: 'SELECT count(*) FROM kept' };
const failUntil: SqlStatement = { name: 'fail_until', text: 'SELECT fail_until($1, $2) AS tried' };
const endConnection: SqlStatement = {
  name: 'end_connection',
  text: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle in transaction'`,
};

async function kept(): Promise<number> {
  return (await database.execute<{ count: number }>(count)).rows[0]!.count;
}

/** Takes as long as somebody holds what it waits for. */
const waits: SqlStatement = { name: 'wait', text: 'SELECT pg_advisory_xact_lock_shared(1)' };

/** Holds what `waits` waits for, until it is let go: that is answered before the connection ends. */
async function holding(work: (letGo: () => Promise<unknown>) => Promise<void>): Promise<void> {
  await withClient(test.url, async (client) => {
    await client.query('SELECT pg_advisory_lock(1)');
    let unlocked: Promise<unknown> = Promise.resolve();
    await work(() => (unlocked = client.query('SELECT pg_advisory_unlock(1)')));
    await unlocked;
  });
}

it('says that the database is away where nobody has connected yet', async () => {
  const settings = {
    url: test.url,
    poolSize: 1,
    ssl: false as const,
    applicationName: 'database-spec',
    migrations: [],
  };
  const early = new TypeormDatabase(createDataSource({ ...settings, onPoolError: () => undefined }));
  await expect(early.execute(count)).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(early.transaction('early', ({ query }) => query(count))).rejects.toMatchObject({ kind: 'unavailable' });
});

describe('a transaction', () => {
  it('outlives a connection that ends in the moment in which it is handed over', async () => {
    const { pool } = source;
    let taken = 0;
    pool.on('acquire', () => (taken += 1));
    let unheard: unknown = null;
    // Before the promise that hands it over has been heard, as when one packet brings a result and the end.
    const endAtOnce = (client: PoolClient): void => {
      process.nextTick(() => {
        try {
          client.emit('error', new Error('terminating connection due to administrator command'));
        } catch (error) {
          unheard = error;
        }
      });
    };
    await holding(async (letGo) => {
      // All connections are taken: the transaction gets one straight from whoever gives it back.
      const others = Array.from({ length: poolSize }, () => database.execute(waits));
      const waiting = database.transaction('waiting', async ({ query }) => query(count));
      const areTaken = (): boolean => taken === poolSize && pool.waitingCount === 1;
      await waitUntil(areTaken, { what: 'the transaction to wait', timeoutMs: 30_000, intervalMs: 1 });
      pool.once('acquire', endAtOnce);
      await letGo();
      await Promise.all([...others, waiting]);
    });
    pool.removeAllListeners('acquire');
    expect(unheard).toBeNull();
  });

  it('commits what its work did, and returns what it resolved to', async () => {
    const value = await database.transaction('work', async (session) => {
      await session.query(insert, [1]);
      return (await session.query<{ count: number }>(count)).rows[0];
    });
    expect(value).toEqual({ count: 1 });
    expect(await kept()).toBe(1);
  });

  it('rolls back when its work throws, and passes that error on as it is', async () => {
    const mine = new Error('mine');
    const work = database.transaction('work', async (session) => {
      await session.query(insert, [1]);
      throw mine;
    });
    await expect(work).rejects.toBe(mine);
    expect(await kept()).toBe(0);
  });

  it('rolls back when a statement fails, and names it', async () => {
    const work = database.transaction('work', async (session) => {
      await session.query(insert, [1]);
      await session.query(insert, [1]);
    });
    await expect(work).rejects.toMatchObject({ operation: 'insert', kind: 'failed', sqlState: '23505' });
    expect(await kept()).toBe(0);
  });

  // A connection to a primary that another had taken over from stayed in the pool for half an hour.
  it('lets go of a connection whose server takes no writes any more', async () => {
    const demote: SqlStatement = {
      name: 'demote',
      text: "SELECT set_config('default_transaction_read_only', 'on', false), pg_sleep(0.1)",
    };
    await Promise.all(Array.from({ length: poolSize }, () => database.execute(demote)));
    const write = (): Promise<unknown> => database.transaction('writes', (session) => session.query(insert, [1]));
    for (let connection = 0; connection < poolSize; connection += 1) {
      await expect(write()).rejects.toMatchObject({ kind: 'unavailable', sqlState: '25006' });
    }
    await write();
    expect(await kept()).toBe(1);
  });

  it('gives its connection back, whatever happened', async () => {
    for (let round = 0; round < 3 * poolSize; round += 1) {
      await database.transaction('fails', () => Promise.reject(new Error('x'))).catch(() => undefined);
      await database.transaction('works', (session) => session.query(count));
    }
    const [row] = await source.query<{ open: string }[]>(
      "SELECT count(*) AS open FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'",
    );
    expect(row).toEqual({ open: '0' });
  });

  it.each(['40P01', '40001'])('is repeated as a whole after %s', async (state) => {
    let rounds = 0;
    const tried = await database.transaction('work', async (session) => {
      rounds += 1;
      await session.query(insert, [rounds]);
      return (await session.query<{ tried: number }>(failUntil, [3, state])).rows[0]?.tried;
    });
    expect({ rounds, tried, kept: await kept() }).toEqual({ rounds: 3, tried: 3, kept: 1 });
  });

  it('gives up after as many tries as it may have', async () => {
    let rounds = 0;
    const work = database.transaction('work', async (session) => {
      rounds += 1;
      await session.query(failUntil, [99, '40P01']);
    });
    await expect(work).rejects.toMatchObject({ kind: 'contention', sqlState: '40P01' });
    expect(rounds).toBe(transactionAttemptsMax);
  });

  it('is not repeated after any other failure', async () => {
    let rounds = 0;
    const work = database.transaction('work', async (session) => {
      rounds += 1;
      await session.query(failUntil, [99, '23514']);
    });
    await expect(work).rejects.toMatchObject({ kind: 'failed' });
    expect(rounds).toBe(1);
  });

  it('whose connection breaks is unavailable, keeps nothing, and the next one works', async () => {
    const work = database.transaction('work', async (session) => {
      await session.query(insert, [1]);
      await database.execute(endConnection);
      await session.query(insert, [2]);
    });
    await expect(work).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await kept()).toBe(0);
    expect(await database.transaction('again', (session) => session.query(insert, [3]))).toMatchObject({ rowCount: 1 });
  });

  it('runs statements in the order of the calls, a read that could go first as well', async () => {
    const counted = await database.transaction('work', async (session) => {
      const before = session.query<{ count: number }>({ ...count, isRead: true });
      const written = session.query(insert, [1]);
      const after = session.query<{ count: number }>({ ...count, isRead: true });
      await written;
      return [(await before).rows[0]?.count, (await after).rows[0]?.count];
    });
    expect(counted).toEqual([0, 1]);
  });

  it('is not taken for committed when the failure of one of its statements was overheard', async () => {
    const work = database.transaction('work', async (session) => {
      await session.query(insert, [1]);
      await session.query(failUntil, [99, '23514']).catch(() => undefined);
    });
    await expect(work).rejects.toMatchObject({ operation: 'work', kind: 'failed' });
    expect(await kept()).toBe(0);
  });

  it('whose connection breaks before the commit is unavailable', async () => {
    const work = database.transaction('work', async (session) => {
      await session.query(insert, [1]);
      await database.execute(endConnection);
    });
    await expect(work).rejects.toMatchObject({ kind: 'unavailable', operation: 'work' });
    expect(await kept()).toBe(0);
  });
});

describe('one statement', () => {
  it('is repeated after contention, and only then', async () => {
    expect((await database.execute(failUntil, [4, '40P01'])).rows).toEqual([{ tried: 4 }]);
    await expect(database.execute(failUntil, [99, '23514'])).rejects.toMatchObject({
      kind: 'failed',
      sqlState: '23514',
    });
  });

  it('says how many rows it touched', async () => {
    expect(await database.execute(insert, [1])).toEqual({ rows: [], rowCount: 1 });
  });
});

describe('columns', () => {
  async function read(expression: string): Promise<unknown> {
    const { rows } = await database.execute<{ value: unknown }>({
      name: expression,
      text: `SELECT ${expression} AS value`,
    });
    return rows[0]?.value;
  }

  it.each([
    ["'9007199254740991'::int8", Number.MAX_SAFE_INTEGER],
    ["'{1,-2}'::int8[]", [1, -2]],
    ["'{}'::int8[]", []],
    ["'{1,-2,NULL}'::int4[]", [1, -2, null]],
    ["'{}'::int4[]", []],
    ["'{1,2}'::int4[]", [1, 2]],
    ["'2026-11-21T10:15:04.123456+01:00'::timestamptz", Date.parse('2026-11-21T09:15:04.123Z')],
    ["'2026-11-21T10:15:04Z'::timestamptz", Date.parse('2026-11-21T10:15:04.000Z')],
    ["'1969-12-31T23:59:59.5Z'::timestamptz", -500],
    ["'0001-01-01T00:00:00Z'::timestamptz", Date.parse('0001-01-01T00:00:00.000Z')],
    ["'9999-12-31T23:59:59.999Z'::timestamptz", Date.parse('9999-12-31T23:59:59.999Z')],
    ["'\\x00ff'::bytea", Buffer.from([0, 255])],
    ['NULL::int8', null],
    ['NULL::timestamptz', null],
  ])('%s comes back as %p', async (expression, value) => {
    expect(await read(expression)).toEqual(value);
  });

  it('are times as Postgres counts them: of each length, and from year 1 to year 9999', async () => {
    const { rows } = await database.execute<{ at: number; ms: number }>({
      name: 'times',
      text: `
SELECT at, floor(extract(epoch FROM at) * 1000)::int8 AS ms
FROM (SELECT timestamptz '0001-01-01Z' + n * interval '73 hours 7 minutes 5.1 seconds' * 100 + n % 11 * interval '1 us' AS at
  FROM generate_series(0, 11_900) AS n) times
UNION ALL SELECT at, floor(extract(epoch FROM at) * 1000)::int8
FROM unnest('{2026-11-21T09:15:04.1Z,2026-11-21T09:15:04.12Z,2026-11-21T09:15:04.1234Z,2026-02-28T23:59:59.000001Z}'::timestamptz[]) AS at`,
    });
    expect(rows.length).toBeGreaterThan(10_000);
    expect(rows.filter(({ at, ms }) => at !== ms)).toEqual([]);
  });

  it('beyond what a number can hold fail instead of being rounded', async () => {
    await expect(read("'9007199254740992'::int8")).rejects.toMatchObject({ kind: 'failed' });
    expect(await read('1')).toBe(1);
  });
});

describe('every connection', () => {
  it('runs with our settings', async () => {
    const text = `SELECT current_setting('random_page_cost') AS "pageCost", current_setting('timezone') AS zone,
      current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle,
      current_setting('application_name') AS name, current_setting('transaction_isolation') AS isolation`;
    const settings = { pageCost: '1.1', zone: 'UTC', statement: '30s', idle: '1min', name: 'database-spec' };
    const statement = { name: 'settings', text };
    expect((await database.execute(statement)).rows).toEqual([{ ...settings, isolation: 'read committed' }]);
    const inside = await database.transaction('settings', (session) => session.query(statement));
    expect(inside.rows).toEqual([{ ...settings, isolation: 'read committed' }]);
  });
});

describe('what a transaction has asked and heard', () => {
  // Where the driver makes promises, each keeps the queries after it. `npm run bench -- --only rates` measures what that costs.
  it('regression: does not grow old: no promise of the driver holds it', async () => {
    const asked = jest.spyOn(pg.Client.prototype, 'query');
    try {
      await database.transaction('asks', async ({ query }) => {
        await query(count);
        await Promise.all([query(insert, [1]), query({ ...insert, mayTakeLong: true }, [2])]);
      });
      await database.execute(count);
      await expect(database.transaction('fails', ({ query }) => query(insert, [1]))).rejects.toThrow();
      const calls = asked.mock.calls as readonly (readonly unknown[])[];
      expect(calls.map((words) => typeof words.at(-1))).toEqual(calls.map(() => 'function'));
      expect(asked.mock.results.map(({ value }) => value as unknown)).toEqual(calls.map(() => undefined));
      const texts = calls.map(([query]) => (query as { readonly text: string }).text);
      expect(texts).toEqual(expect.arrayContaining(['BEGIN', 'COMMIT', 'ROLLBACK', count.text, insert.text]));
    } finally {
      asked.mockRestore();
    }
  });
});

describe('a transaction whose COMMIT does not wait for answers', () => {
  const slow: SqlStatement = { name: 'slow', text: 'SELECT pg_sleep(0.1)' };

  it('commits what was called before', async () => {
    const value = await database.transaction('work', async (session) => {
      const answers = [session.query(insert, [1]), session.query(slow), session.query(insert, [2])];
      session.commitUnless?.(() => false);
      await Promise.all(answers);
      return 'done';
    });
    expect([value, await kept()]).toEqual(['done', 2]);
  });

  it('is on its way while the server still works', async () => {
    const sent: string[] = [];
    await holding(async (letGo) => {
      await database.transaction('work', async (session) => {
        const waiting = session.query(waits).then(() => sent.push('answered'));
        session.commitUnless?.(() => {
          sent.push('committing');
          void letGo();
          return false;
        });
        await waiting;
      });
    });
    expect(sent).toEqual(['committing', 'answered']);
  });

  it('keeps nothing when one of the statements fails, and names that one', async () => {
    const work = database.transaction('work', async (session) => {
      const answers = [session.query(insert, [1]), session.query(insert, [1]), session.query(insert, [2])];
      session.commitUnless?.(() => false);
      await Promise.all(answers);
    });
    await expect(work).rejects.toMatchObject({ operation: 'insert', kind: 'failed', sqlState: '23505' });
    expect(await kept()).toBe(0);
  });

  it('keeps nothing when one of the statements cannot even be sent', async () => {
    const work = database.transaction('work', async (session) => {
      const unsound = session.query(insert, [{ toString: 1 } as never]);
      const answers = [session.query(insert, [1]), unsound];
      session.commitUnless?.(() => false);
      await Promise.all(answers);
    });
    await expect(work).rejects.toThrow();
    expect(await kept()).toBe(0);
  });

  it('keeps nothing when a caller has failed before it could call its statement', async () => {
    const work = database.transaction('work', async (session) => {
      const answer = session.query(insert, [1]);
      session.commitUnless?.(() => true);
      await answer;
    });
    await expect(work).rejects.toThrow('what was to be committed has failed');
    expect(await kept()).toBe(0);
  });

  it('keeps nothing when a statement is not on its way yet', async () => {
    const work = database.transaction('work', async (session) => {
      const answers = [session.query(insert, [1]), session.query({ ...insert, mayTakeLong: true }, [2])];
      session.commitUnless?.(() => false);
      await Promise.all(answers);
    });
    await expect(work).rejects.toThrow('what was to be committed has failed');
    expect(await kept()).toBe(0);
  });

  it('takes no statement any more', async () => {
    const work = database.transaction('work', async (session) => {
      const answer = session.query(insert, [1]);
      session.commitUnless?.(() => false);
      await answer;
      await session.query(insert, [2]);
    });
    await expect(work).rejects.toThrow('the transaction has been ended');
    expect(await kept()).toBe(1);
  });

  it('is repeated as a whole after a deadlock, and then committed once', async () => {
    let rounds = 0;
    await database.transaction('work', async (session) => {
      rounds += 1;
      const answers = [session.query(insert, [rounds]), session.query(failUntil, [3, '40P01'])];
      session.commitUnless?.(() => false);
      await Promise.all(answers);
    });
    expect([rounds, await kept()]).toEqual([3, 1]);
  });

  it('is unavailable and keeps nothing when its connection breaks', async () => {
    const work = database.transaction('work', async (session) => {
      await session.query(insert, [1]);
      await database.execute(endConnection);
      const answer = session.query(insert, [2]);
      session.commitUnless?.(() => false);
      await answer;
    });
    await expect(work).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await kept()).toBe(0);
    await database.transaction('again', (session) => session.query(insert, [3]));
  });

  it('gives back a connection that works, whatever happened', async () => {
    for (let round = 0; round < 2 * poolSize; round += 1) {
      const work = database.transaction('work', async (session) => {
        const answers = [session.query(insert, [1]), session.query(insert, [1])];
        session.commitUnless?.(() => false);
        await Promise.all(answers);
      });
      await work.catch(() => undefined);
      await database.transaction('works', (session) => session.query(count));
    }
    expect(await kept()).toBe(0);
  });
});
