import { extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { RunningProcess } from '#test-support';
import { startProcess } from '#test-support';

import { runSql } from '../infrastructure/bench-postgres.js';
import type { WatchedProcesses } from './cpu-meter.js';
import type { LoadTarget } from './load-connection.js';

/** The sandbox of a run, a process of its own. */
export interface BenchedSandbox {
  readonly target: LoadTarget;
  processes(): Promise<WatchedProcesses>;
  /** @throws unless its ledger holds exactly so many effects */
  expectEffects(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Compiled or not, as we are. */
const program = fileURLToPath(
  new URL(`../../../apps/wallet-sandbox/src/main${extname(import.meta.filename)}`, import.meta.url),
);

const requestToken = async (authUrl: string): Promise<string> => {
  const credentials = { client_id: 'sandbox', client_secret: 'sandbox', scope: 'bench' };
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentials });
  const response = await fetch(`${authUrl}/oauth2/token`, { method: 'POST', body });
  if (!response.ok) throw new Error(`the token request was answered with ${response.status}`);
  return ((await response.json()) as { access_token: string }).access_token;
};

/** `seq` is dense: the entry of that number is the last one, and there is one. */
const expectLastEntry = async (authUrl: string, seq: number): Promise<void> => {
  const response = await fetch(`${authUrl}/__ledger?after=${seq - 1}&limit=2`);
  const { items } = (await response.json()) as { items: { seq: number }[] };
  if (items.length === 1 && items[0]?.seq === seq) return;
  const found = items.map((item) => item.seq).join(', ') || 'nothing';
  throw new Error(`${seq} effects were answered with 200, but the ledger has ${found} from there on`);
};

const backendsOf = async (databaseUrl: string): Promise<number[]> => {
  const text = 'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
  return (await runSql<{ pid: number }>(databaseUrl, text)).map(({ pid }) => pid);
};

const stopped = async (running: RunningProcess): Promise<void> => {
  const { code, signal } = await running.stop();
  if (code !== 0) throw new Error(`the sandbox ended with ${code ?? signal ?? 'nothing'}:\n${running.stderr()}`);
};

const profileFlags = (folder: string | null): string[] =>
  folder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`, '--cpu-prof-name=sandbox.cpuprofile'];

/** Starts the sandbox on `databaseUrl`, on a free port of the loopback interface. */
export const startSandbox = async (databaseUrl: string, profileFolder: string | null): Promise<BenchedSandbox> => {
  const running = await startProcess({
    command: process.execPath,
    args: [...process.execArgv, ...profileFlags(profileFolder), program],
    env: { DATABASE_URL: databaseUrl, SANDBOX_PORT: '0', SANDBOX_HOST: '127.0.0.1' },
  });
  const authUrl = String(running.ready['authUrl']);
  const { hostname: host, port } = new URL(authUrl);
  const target = { host, port: Number(port), token: await requestToken(authUrl) };
  return {
    target,
    processes: async () => ({ sandbox: running.pid, backends: await backendsOf(databaseUrl) }),
    expectEffects: (count) => expectLastEntry(authUrl, count),
    stop: () => stopped(running),
  };
};
