import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { freeLoopbackPorts, startBoundProcess, waitUntil } from '#embedded';

const script = resolve(import.meta.dirname, '../../.ci/pgbouncer');
const lookMs = 10_000;
const fetchMs = 180_000;
const startMsMax = 20_000;

interface Found {
  readonly path: string | null;
  readonly reason: string;
}

/** PgBouncer, unless it would have to be fetched: only `.ci/run` (REQUIRE_PGBOUNCER) does that unasked. */
function find(): Found {
  const isRequired = process.env['REQUIRE_PGBOUNCER'] === '1';
  const { status, stdout, stderr, error } = spawnSync('bash', [script, ...(isRequired ? [] : ['--have'])], {
    encoding: 'utf8',
    timeout: isRequired ? fetchMs : lookMs,
  });
  if (status === 0) return { path: stdout.trim(), reason: '' };
  const said = error === undefined ? stderr.trim() : error.message;
  if (isRequired) throw new Error(`REQUIRE_PGBOUNCER is set, and there is no PgBouncer: ${said}`);
  return { path: null, reason: `no PgBouncer: ${said}` };
}

const found = find();

/** Why there is none, and how to get it; null: it is here. */
export const pgbouncerMissing: string | null = found.path === null ? found.reason : null;

/** A real PgBouncer of our own. */
export interface Pgbouncer {
  /** The same database and user by way of it. */
  readonly url: string;
  stop(): Promise<void>;
}

export type PoolMode = 'session' | 'transaction' | 'statement';

/**
 * Puts a PgBouncer before a database.
 * @param url what it leads to
 * @param lines further ones of its configuration
 */
export async function startPgbouncer(url: string, mode: PoolMode, lines: readonly string[] = []): Promise<Pgbouncer> {
  const { hostname, port, pathname, username, password } = new URL(url);
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-pgbouncer-'));
  const [listenPort = 0] = await freeLoopbackPorts(1);
  const [users, configuration] = [join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')];
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  await writeFile(
    configuration,
    [
      '[databases]',
      `${pathname.slice(1)} = host=${hostname} port=${port}`,
      '[pgbouncer]',
      ...['listen_addr = 127.0.0.1', `listen_port = ${listenPort}`, 'unix_socket_dir ='],
      ...['auth_type = scram-sha-256', `auth_file = ${users}`, `pool_mode = ${mode}`],
      // In the database its sessions are told from those that go past it.
      'application_name_add_host = 1',
      ...lines,
    ].join('\n'),
  );
  // Root is nobody whom it runs as; files are read before and after it has become another user.
  const isRoot = process.getuid?.() === 0;
  await chmod(folder, 0o755);
  const bouncer = await startBoundProcess({
    command: found.path ?? 'pgbouncer',
    args: [...(isRoot ? ['-u', 'nobody'] : []), configuration],
    cwd: folder,
    logFile: join(folder, 'log'),
    removeFolder: folder,
    // The first one waits for its clients, for ever.
    stopSignal: 'TERM',
  });
  try {
    await waitUntil(() => bouncer.logTail().includes('process up') || !bouncer.isRunning() || undefined, {
      what: 'PgBouncer to start',
      timeoutMs: startMsMax,
    });
    if (!bouncer.isRunning()) throw new Error(`PgBouncer did not start: ${bouncer.logTail()}`);
  } catch (error) {
    await bouncer.stop();
    throw error;
  }
  const through = new URL(url);
  through.host = `127.0.0.1:${listenPort}`;
  return { url: through.href, stop: () => bouncer.stop() };
}
