import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { waitUntil } from '#embedded';
import type { TestBroker } from '#test-support';
import { createTopics, deleteTopics, testTopics, watchOver } from '#test-support';

import type { Undo } from '../../support/process/program.js';
import { fillStore } from '../backlog/fill-store.js';
import { otherProgramName, programsText } from '../bench-parts.js';
import type { MeasureTools } from '../measures/measure.js';
import type { PartnerStub } from '../stub/start-stub.js';
import { startStub } from '../stub/start-stub.js';
import type { Ways } from './secured-ways.js';
import { openWays } from './secured-ways.js';

/** The real daemon in a process of its own, with its defaults, and the memory of docs/operations/install.md. */
export interface BenchDaemon {
  readonly pid: number;
  /** Base of its operations port. */
  readonly operations: string;
  stop(): Promise<void>;
  /** As a machine does that loses its power: it says nothing to anybody. */
  kill(): Promise<void>;
}

const readyTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
const logCharactersKept = 4_000;
/** What docs/operations/install.md recommends for a container of 512 MiB. */
export const recommendedNodeOptions = ['--max-old-space-size=384', '--max-semi-space-size=32'] as const;

const inherited = ['PATH', 'HOME', 'TMPDIR'];

const program = fileURLToPath(
  new URL(`../../../apps/daemon/src/main${extname(import.meta.filename)}`, import.meta.url),
);

const spawnDaemon = (environment: Readonly<Record<string, string>>, nodeFlags: readonly string[]): ChildProcess => {
  const kept = Object.fromEntries(inherited.map((name) => [name, process.env[name]]));
  const env = { ...kept, ...environment };
  const flags = [...process.execArgv, ...recommendedNodeOptions, ...nodeFlags];
  return spawn(process.execPath, [...flags, program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
};

/** Its log is read, as a collector would; only its end is kept. */
const followLog = (child: ChildProcess): (() => string) => {
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-logCharactersKept);
  });
  return () => tail;
};

/** @returns base of its operations port */
const awaitReady = async (child: ChildProcess, log: () => string): Promise<string> => {
  const seen = { operations: '' };
  const lines = child.stdout === null ? null : createInterface({ input: child.stdout });
  lines?.on('line', (line) => {
    if (line.includes('"ready":true')) seen.operations = (JSON.parse(line) as { operations: string }).operations;
  });
  const isOver = (): boolean => seen.operations !== '' || child.exitCode !== null;
  await waitUntil(isOver, { what: 'the daemon to be ready', timeoutMs: readyTimeoutMs });
  if (seen.operations === '') throw new Error(`the daemon ended with ${child.exitCode ?? 'no code'}\n${log()}`);
  return seen.operations;
};

const stop = async (child: ChildProcess, ended: Promise<void>): Promise<void> => {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
};

const kill = async (child: ChildProcess, ended: Promise<void>): Promise<void> => {
  child.kill('SIGKILL');
  await ended;
};

const startBenchDaemon = async (
  environment: Readonly<Record<string, string>>,
  nodeFlags: readonly string[],
): Promise<BenchDaemon> => {
  const child = spawnDaemon(environment, nodeFlags);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  watchOver(child);
  try {
    const operations = await awaitReady(child, followLog(child));
    return { pid: child.pid ?? 0, operations, stop: () => stop(child, ended), kill: () => kill(child, ended) };
  } catch (error) {
    await kill(child, ended);
    throw error;
  }
};

/** Kafka topics, a database with members, the partner stub, and the daemon between them. */
export interface BenchInstallation {
  readonly broker: TestBroker;
  readonly purchases: string;
  /** The consumer group of all that ingest. */
  readonly groupId: string;
  readonly databaseUrl: string;
  readonly stub: PartnerStub;
  /** Those of the beginning. */
  readonly daemons: readonly BenchDaemon[];
  /** Starts one more; resolves when it is ready. It is stopped with the others. */
  start(role: string): Promise<BenchDaemon>;
}

/** The roles of each process. */
export const together: readonly string[] = ['ingest,delivery,operations'];
export const apart: readonly string[] = ['delivery', 'ingest', 'operations'];

const settings = {
  OPS_HOST: '127.0.0.1',
  OPS_PORT: '0',
} as const;
/** Its name, as `BenchPostgres` knows it. */
export const installationDatabase = 'installation';
/** Opens the operations API. */
export const operatorToken = 'operator-of-the-benchmark';
const sha256 = (token: string): string => createHash('sha256').update(token).digest('hex');
/** Viewers, the first of whom may know of one program alone, of which there is little. */
export const readerTokens = Array.from({ length: 8 }, (_, index) => `reader-${index}-of-the-benchmark`);
const limitOf = (index: number): string => (index === 0 ? `:${otherProgramName}` : '');
const operators = [
  `bench:admin:${sha256(operatorToken)}`,
  ...readerTokens.map((token, index) => `reader-${index}:viewer:${sha256(token)}${limitOf(index)}`),
].join(',');

const writePrograms = async (concurrency: number, undo: Undo): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-bench-'));
  undo.add(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'loyaltyd.yaml');
  await writeFile(path, programsText(concurrency));
  return path;
};

export interface InstallationOptions {
  /** Of each process; by default one has all. */
  readonly roles?: readonly string[];
  /** For the daemon's Node, such as `--cpu-prof`. */
  readonly nodeFlags?: readonly string[];
  /** How long the partner takes for an answer, milliseconds. Default: 0. */
  readonly answerMs?: number;
  /** Of each topic. Default: as many as the tests have. */
  readonly partitions?: number;
  /** Sets up the database. Default: members whose passes are known. */
  readonly fill?: (databaseUrl: string) => Promise<void>;
  /** Default: nothing is encrypted. */
  readonly ways?: Ways;
}

/** Each member has one intent already, which the daemon delivers first: their passes are known. */
export const openInstallation = async (
  { plan, postgres, encryptionKey }: MeasureTools,
  members: number,
  undo: Undo,
  { roles = together, nodeFlags = [], answerMs = 0, partitions, fill, ways }: InstallationOptions = {},
): Promise<BenchInstallation> => {
  const { broker, environment: access, isPartnerSecured } = ways ?? (await openWays());
  const topics = testTopics();
  await createTopics(broker, topics.all, partitions);
  undo.add(() => deleteTopics(broker, topics.all));
  const databaseUrl = await postgres.create(installationDatabase);
  undo.add(() => postgres.drop(installationDatabase));
  if (fill === undefined) await fillStore(databaseUrl, encryptionKey, { members, intentsPerMember: 1 });
  else await fill(databaseUrl);
  const stub = await startStub({ notesArrivals: true, answerMs, isSecured: isPartnerSecured });
  undo.add(() => stub.stop());
  const environment = {
    ...settings,
    ...topics.environment,
    ...access,
    DATABASE_URL: databaseUrl,
    WALLET_BASE_URL: `${stub.origin}/brands`,
    WALLET_AUTH_URL: stub.origin,
    WALLET_CLIENT_ID: 'bench',
    WALLET_CLIENT_SECRET: 'bench',
    WALLET_SCOPE: 'bench',
    LOYALTYD_PROGRAMS: await writePrograms(plan.deliveryConcurrency, undo),
    LOYALTYD_ENCRYPTION_KEY: encryptionKey,
    OPS_TOKENS: operators,
  };
  const start = async (role: string): Promise<BenchDaemon> => {
    const daemon = await startBenchDaemon({ ...environment, LOYALTYD_ROLES: role }, nodeFlags);
    undo.add(() => daemon.stop());
    return daemon;
  };
  const daemons: BenchDaemon[] = [];
  for (const role of roles) daemons.push(await start(role));
  const { purchases, groupId } = topics;
  return { broker, purchases, groupId, databaseUrl, stub, daemons, start };
};
