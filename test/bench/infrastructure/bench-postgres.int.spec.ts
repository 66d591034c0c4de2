import pg from 'pg';

import type { EmbeddedPostgres } from '#embedded';
import { startEmbeddedPostgres, waitUntil } from '#embedded';

import { parseStat, serverCpuSeconds } from './process-times.js';
import {
  explainStatements,
  forgetStatements,
  parseLogLine,
  planSettings,
  readPlans,
  readStatements,
  statementSettings,
} from './statements.js';

describe('the processor time of a Postgres server', () => {
  it('is read past a name with brackets and spaces', () => {
    const text = '77 (a (b) c) S 12 77 77 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 1 0 5';
    expect(parseStat(text)).toEqual({ name: 'a (b) c', parent: 12, own: 200, ended: 50 });
  });

  it('grows with what the server does, and is unknown of anything that is no server', async () => {
    // That of the tests may run in a container, or elsewhere.
    const { url, stop } = await startEmbeddedPostgres({ database: 'busy', durable: false });
    const session = new pg.Client({ connectionString: url });
    try {
      // A session of our own: what it does counts at once, and not only when the server has seen it end.
      await session.connect();
      const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const pid = rows[0]?.pid ?? 0;
      const before = await serverCpuSeconds(pid);
      if (before === null) throw new Error('the server is not known as one');
      const hasGrown = async (): Promise<boolean> => {
        await session.query('SELECT count(*) FROM generate_series(1, 1000000)');
        return ((await serverCpuSeconds(pid)) ?? 0) > before;
      };
      await waitUntil(hasGrown, { what: 'its processor time to grow', timeoutMs: 60_000 });
      expect(await serverCpuSeconds(process.pid)).toBeNull();
    } finally {
      await session.end();
      await stop();
    }
  });
});

describe('the plans of statements', () => {
  let server: EmbeddedPostgres;
  let admin: pg.Client;

  beforeAll(async () => {
    const settings = [...statementSettings, ...planSettings];
    server = await startEmbeddedPostgres({ database: 'followed', durable: false, settings });
    admin = new pg.Client({ connectionString: server.adminUrl });
    await admin.connect();
  });

  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  it('are those of what the sessions of a database sent, under the number of the statement', async () => {
    await explainStatements(admin, 'followed');
    await forgetStatements(admin);
    const session = new pg.Client({ connectionString: server.url });
    await session.connect();
    // One in five is looked at: that none of 200 is has a chance of 4e-20.
    for (let index = 0; index < 200; index += 1) {
      await session.query('SELECT sum(n)\nFROM generate_series(1, $1::int) AS n', [index]);
    }
    await session.end();
    const plans = await readPlans(admin, 'followed');
    const cost = (await readStatements(admin, 'followed')).find(({ text }) => text.startsWith('SELECT sum(n) FROM'));
    const plan = plans.find(({ queryId }) => queryId === cost?.queryId);
    expect(plan?.text).toMatch(/^Aggregate {2}\(cost=.*\(actual time=[^]*Function Scan on generate_series/);
    expect(await readPlans(admin, 'postgres')).toEqual([]);
  });

  it('are not looked for in lines that tell of something else', () => {
    expect(parseLogLine('', 'followed')).toBeNull();
    expect(parseLogLine('{"message":"database system is ready","dbname":"followed"}', 'followed')).toBeNull();
  });
});
