import { spawn } from 'node:child_process';
import { once } from 'node:events';

import pg from 'pg';

import { waitUntil } from '#embedded';
import type { FreezingProxy, TestDatabase } from '#test-support';
import { openFreezingProxy, programCommand, queryOnce, testDatabase, throughProxy, watchOver } from '#test-support';

import { encryptionKey } from './harness.js';
import { runProgram } from './loyaltyd.js';

const soon = { timeoutMs: 60_000 };
/** What whoever migrates holds (libs/platform, `run-migrations.ts`). */
const migrationLock = 7_226_409_114;
const waiting = 'the database cannot be used yet';

/** A daemon that need not become ready. */
interface Starting {
  kill(signal: NodeJS.Signals): void;
  said(): string;
  saying(text: string, times?: number): Promise<unknown>;
  /** SIGTERM: how it ended, and how often it tried again. */
  stop(): Promise<{ readonly code: number | null; readonly tries: number }>;
}

function environmentOf(databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    LOYALTYD_ROLES: 'operations',
    LOYALTYD_PROGRAMS: 'deploy/compose/loyaltyd.yaml',
    LOYALTYD_ENCRYPTION_KEY: encryptionKey,
    OPS_HOST: '127.0.0.1',
    OPS_PORT: '0',
    OPS_TOKENS: `test:admin:${'a'.repeat(64)}`,
  };
}

function start(databaseUrl: string, own: Readonly<Record<string, string>> = {}): Starting {
  const { command, args, cwd } = programCommand('apps/daemon/src/main.ts');
  const env = { PATH: process.env['PATH'], ...environmentOf(databaseUrl), ...own };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  watchOver(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => (text += String(chunk)));
  }
  const closed = once(child, 'close') as Promise<[number | null]>;
  return {
    kill: (signal) => child.kill(signal),
    said: () => text,
    saying: (what, times = 1) =>
      waitUntil(() => text.split(what).length > times, { what: `${times} x ${what}`, ...soon }),
    stop: async () => {
      const before = text.length;
      child.kill('SIGTERM');
      const [code] = await closed;
      return { code, tries: text.slice(before).split(waiting).length - 1 };
    },
  };
}

describe('a daemon told to stop while it starts', () => {
  let test: TestDatabase;
  let proxy: FreezingProxy;
  let daemon: Starting;

  beforeEach(async () => {
    test = await testDatabase({ migrate: false });
    const { hostname, port } = new URL(test.url);
    proxy = await openFreezingProxy({ host: hostname, port: Number(port) });
  });

  afterEach(async () => {
    daemon.kill('SIGKILL');
    await proxy.close();
    await test.dispose();
  });

  const endsAtOnce = async (): Promise<void> => {
    const { code, tries } = await daemon.stop();
    expect([code, daemon.said()]).toEqual([0, expect.stringContaining('told to stop before anything had begun')]);
    // One that was under way may just have failed.
    expect(tries).toBeLessThanOrEqual(1);
  };

  it('ends at once where nobody listens, and SIGHUP does not end it', async () => {
    daemon = start('postgres://u:p@127.0.0.1:9/d');
    await daemon.saying(waiting);
    daemon.kill('SIGHUP');
    await daemon.saying(waiting, 3);
    await endsAtOnce();
  });

  it('ends at once where the server takes connections and says nothing', async () => {
    proxy.freeze();
    daemon = start(throughProxy(test.url, proxy));
    await daemon.saying(waiting);
    await endsAtOnce();
  });

  it('ends at once where the keys are wrapped and Vault is away', async () => {
    const vault = { VAULT_ADDR: 'http://127.0.0.1:9', VAULT_TRANSIT_KEY_NAME: 'loyaltyd', VAULT_TOKEN: 'token' };
    daemon = start(test.url, { ...vault, LOYALTYD_ENCRYPTION_KEY: `vault:v1:${encryptionKey}` });
    await daemon.saying('the key service cannot be used yet');
    await endsAtOnce();
  });

  it('ends at once where another process migrates, and sets nothing up', async () => {
    const other = new pg.Client({ connectionString: test.url });
    await other.connect();
    await other.query(`SELECT pg_advisory_lock(${migrationLock})`);
    daemon = start(test.url);
    const asked = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'SELECT pg_try_advisory_lock(${migrationLock})%'`;
    await waitUntil(async () => (await queryOnce(test.url, asked)).length === 1, { what: 'it to wait', ...soon });
    await endsAtOnce();
    await other.end();
    expect(await queryOnce(test.url, `SELECT FROM pg_tables WHERE tablename = 'intent'`)).toEqual([]);
  });

  it('finishes what it has begun, and drains', async () => {
    daemon = start(test.url);
    await daemon.saying('the empty database was set up');
    const { code } = await daemon.stop();
    expect([code, daemon.said()]).toEqual([0, expect.stringContaining('draining')]);
    expect(await runProgram(environmentOf(test.url), 'migrate', '--plan')).toMatchObject({ code: 0 });
  });

  it('reads the programs file again for a SIGHUP that came before it was ready', async () => {
    proxy.cut();
    daemon = start(throughProxy(test.url, proxy));
    await daemon.saying(waiting);
    daemon.kill('SIGHUP');
    await daemon.saying(waiting, 3);
    proxy.heal();
    await daemon.saying('programs file read again');
    expect((await daemon.stop()).code).toBe(0);
  });
});
