import pg from 'pg';
import { testDatabase } from '#test-support';
import { parseStat, serverCpuSeconds } from './server-cpu.js';

describe('the processor time of a Postgres server', () => {
  it('is read past a name with brackets and spaces', () => {
    const text = '77 (a (b) c) S 12 77 77 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 1 0 5';
    expect(parseStat(text)).toEqual({ name: 'a (b) c', parent: 12, own: 200, ended: 50 });
  });

  it('grows with what the server does, and is unknown of anything that is no server', async () => {
    const { url, dispose } = await testDatabase({ migrate: false });
    const session = new pg.Client({ connectionString: url });
    try {
      // A session of our own: what it does counts at once, and not only when the server has seen it end.
      await session.connect();
      const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const pid = rows[0]?.pid ?? 0;
      const before = await serverCpuSeconds(pid);
      if (before === null) throw new Error('the server of the tests does not run on this machine');
      await session.query('SELECT count(*) FROM generate_series(1, 3000000)');
      expect(await serverCpuSeconds(pid)).toBeGreaterThan(before);
      expect(await serverCpuSeconds(process.pid)).toBeNull();
    } finally {
      await session.end();
      await dispose();
    }
  });
});
