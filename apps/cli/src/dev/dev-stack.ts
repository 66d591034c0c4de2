import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { PartnerIdentity } from '#intents';
import { adoptEnvironment } from '#intents';
import { migrations } from '#migrations';
import { startEmbeddedBroker, startEmbeddedPostgres, type EmbeddedPostgres } from '#embedded';
import type { LoginLinks } from '#operations';
import type { Database } from '#platform';
import { createDataSource, runMigrations, TypeormDatabase } from '#platform';

import { shareLoginLinks } from './login-links.js';
import type { OwnHouse } from './own-house.js';
import { namedTopics, topicPatterns } from './own-house.js';
import type { ProgramsProfile } from './programs-text.js';
import { clubs, programsText } from './programs-text.js';
import { sandboxSeed } from '../programs/sandbox-seed.js';
import type { StartedProgram } from './start-program.js';
import { startProgram } from './start-program.js';

/** What must be closed, in the order opposite to its opening. */
export class ClosingList {
  private readonly steps: (() => Promise<void>)[] = [];
  private closing: Promise<void> | undefined;

  add(step: () => Promise<void>): void {
    this.steps.push(step);
  }

  /** Runs every step, also after one that failed; throws the first failure. Again: the same promise. */
  close(): Promise<void> {
    return (this.closing ??= this.run());
  }

  private async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.steps.toReversed()) {
      await step().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

interface OperatorToken {
  /** What a person sends. */
  readonly token: string;
  /** What the daemon is given, for `OPS_TOKENS`: it can check the token, which cannot be read back. */
  readonly setting: string;
}

const tokenBytes = 24;

/** A token for one run of the stack, with every right. */
export function createOperatorToken(name: string): OperatorToken {
  const token = randomBytes(tokenBytes).toString('base64url');
  return { token, setting: `${name}:admin:${createHash('sha256').update(token).digest('hex')}` };
}

/** Where a stack keeps its things. */
interface DevFolder {
  readonly path: string;
  /** It goes when the stack stops. */
  readonly isTemporary: boolean;
  readonly programsFile: string;
  readonly encryptionKeyFile: string;
  remove(): Promise<void>;
}

const encryptionKeyBytes = 32;
/** Others may pass through: started by root, Postgres runs as another user, and its folder lies in here. */
const folderMode = 0o711;

/**
 * The given folder, made where it is missing, or a temporary one; with the programs file and an encryption key in it. A
 * key that exists already stays: the stored data is sealed with it. The programs file stays too: it may be edited.
 */
export async function provideDevFolder(given: string | null, programs: string): Promise<DevFolder> {
  const path = given === null ? await mkdtemp(join(tmpdir(), 'loyaltyd-house-')) : resolve(given);
  await mkdir(path, { recursive: true, mode: folderMode });
  const programsFile = join(path, 'loyaltyd.yaml');
  const encryptionKeyFile = join(path, 'encryption-key');
  await writeOnce(programsFile, programs);
  await writeOnce(encryptionKeyFile, `${randomBytes(encryptionKeyBytes).toString('base64')}\n`);
  const remove = (): Promise<void> => (given === null ? rm(path, { recursive: true, force: true }) : Promise.resolve());
  return { path, isTemporary: given === null, programsFile, encryptionKeyFile, remove };
}

async function writeOnce(file: string, text: string): Promise<void> {
  if (!existsSync(file)) await writeFile(file, text, { mode: 0o600, flag: 'wx' });
}

const databaseName = 'loyaltyd';

/** The stack's Postgres: durable where its data is kept, fast where it is thrown away. */
async function startPostgres({ path, isTemporary }: DevFolder): Promise<EmbeddedPostgres> {
  if (isTemporary) return startEmbeddedPostgres({ database: databaseName, durable: false });
  try {
    return await startEmbeddedPostgres({ database: databaseName, dataDirectory: join(path, 'postgres') });
  } catch (error) {
    const isForbidden = process.getuid?.() === 0 && error instanceof Error && /permission denied/i.test(error.message);
    if (!isForbidden) throw error;
    const advice = `started by root, Postgres runs as another user, who cannot reach ${path}; choose another folder`;
    throw new Error(`${advice}\n${error.message}`, { cause: error });
  }
}

interface DevDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

/** Two: one for a read that takes long, one for the next. */
const poolSizeMax = 2;

/**
 * Connects to the stack's own database and makes it fit this run: the current schema, and the sandbox where it listens
 * today. A stack may do so by itself, because nothing in it is real.
 */
async function openDevDatabase(url: string): Promise<DevDatabase> {
  const dataSource = createDataSource({
    url,
    poolSize: poolSizeMax,
    ssl: false,
    applicationName: 'loyaltyd-house',
    migrations,
    onPoolError: () => undefined,
  });
  await dataSource.initialize();
  await runMigrations(dataSource);
  return { database: new TypeormDatabase(dataSource), close: () => dataSource.destroy() };
}

/** The sandbox may listen elsewhere than in the last run on this data. */
async function adoptSandbox({ database }: DevDatabase, sandbox: PartnerIdentity): Promise<void> {
  await adoptEnvironment(database, sandbox);
}

interface DevStackOptions {
  /** Keeps everything for the next start; null: a temporary folder. */
  readonly dataFolder: string | null;
  readonly profile: ProgramsProfile;
  /** What the daemon works by in place of the two clubs; null: those. */
  readonly own?: OwnHouse | null;
  /** 0 takes any free port. */
  readonly operationsPort: number;
  readonly sandboxPort: number;
  readonly kafkaPort?: number;
  readonly logLevel: 'info' | 'warn';
}

/** The whole product on embedded parts, running. */
export interface DevStack {
  readonly folder: DevFolder;
  readonly own: OwnHouse | null;
  readonly postgres: { readonly url: string; readonly version: string };
  readonly brokers: string;
  readonly sandbox: { readonly baseUrl: string; readonly authUrl: string; readonly logFile: string };
  readonly daemon: { readonly operations: string; readonly logFile: string };
  /** For the operations API, in this run only. */
  readonly operatorToken: string;
  /** Each logs an operator in to the console with that token. */
  readonly loginLinks: LoginLinks;
  /** The daemon's database. */
  readonly database: Database;
  /** Resolves when a part ended by itself, with what is to be said about it. */
  readonly broken: Promise<string>;
  /** Ends all parts, the daemon first, Postgres last. */
  stop(): Promise<void>;
}

/** The topics of contracts.md section 1. */
export const devTopics = {
  members: 'loyalty.members',
  purchases: 'loyalty.purchases',
  rewards: 'loyalty.rewards',
} as const;

const outTopics = ['loyalty.outcomes', 'loyalty.audit', 'loyalty.dead-letter'];

/** Starts everything, or nothing: what was started is stopped again when a later part fails. */
export async function startDevStack(options: DevStackOptions): Promise<DevStack> {
  const closing = new ClosingList();
  try {
    return await startParts(options, closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function startParts(options: DevStackOptions, closing: ClosingList): Promise<DevStack> {
  const folder = await provideDevFolder(options.dataFolder, programsText(options.profile));
  closing.add(() => folder.remove());
  const postgres = await startPostgres(folder);
  closing.add(() => postgres.stop());
  const own = options.own ?? null;
  // Those of a pattern, and of a source that the file names later, appear when they are first asked for.
  const broker = await startEmbeddedBroker({
    topics: [...Object.values(devTopics), ...outTopics, ...namedTopics(own)],
    port: options.kafkaPort ?? 0,
  });
  closing.add(() => broker.stop());
  const database = await openDevDatabase(postgres.url);
  closing.add(() => database.close());
  const sandbox = await startSandbox(options, folder, postgres.url);
  closing.add(() => sandbox.stop());
  const [baseUrl, authUrl] = [String(sandbox.ready['baseUrl']), String(sandbox.ready['authUrl'])];
  await adoptSandbox(database, { baseUrl, environment: 'sandbox' });
  const token = createOperatorToken('dev');
  const { links, environment: linked } = shareLoginLinks(token.token);
  const daemon = await startProgram({
    app: 'daemon',
    folder: folder.path,
    environment: {
      KAFKA_BROKERS: broker.brokers,
      DATABASE_URL: postgres.url,
      WALLET_BASE_URL: baseUrl,
      WALLET_AUTH_URL: authUrl,
      ...sandboxAccess,
      ...programsEnvironment(folder, own),
      LOYALTYD_ENCRYPTION_KEY_FILE: folder.encryptionKeyFile,
      OPS_HOST: '127.0.0.1',
      OPS_PORT: String(options.operationsPort),
      OPS_TOKENS: token.setting,
      ...linked,
      LOG_LEVEL: options.logLevel,
    },
  });
  closing.add(() => daemon.stop());
  return {
    folder,
    own,
    postgres,
    brokers: broker.brokers,
    sandbox: { baseUrl, authUrl, logFile: sandbox.logFile },
    daemon: { operations: String(daemon.ready['operations']), logFile: daemon.logFile },
    operatorToken: token.token,
    loginLinks: links,
    database: database.database,
    broken: Promise.race([daemon.ended, sandbox.ended]),
    stop: () => closing.close(),
  };
}

/** What the sandbox expects of its clients by default (contracts.md section 9). */
const sandboxAccess = { WALLET_CLIENT_ID: 'sandbox', WALLET_CLIENT_SECRET: 'sandbox', WALLET_SCOPE: 'admin' };

/** The user's own files, each followed where it lies; else the stack's. */
function programsEnvironment(folder: DevFolder, own: OwnHouse | null): Record<string, string> {
  if (own === null) return { LOYALTYD_PROGRAMS: folder.programsFile };
  const { programs, sources, dialect } = own.paths;
  return {
    LOYALTYD_PROGRAMS: resolve(programs),
    ...(sources !== null && { SOURCES_FILE: resolve(sources) }),
    ...(dialect !== null && { WALLET_DIALECT: resolve(dialect) }),
  };
}

/** Where the sandbox finds what its partner is to have; absent: the default that the two clubs are of. */
async function provideSeed(folder: DevFolder, own: OwnHouse | null): Promise<{ readonly SANDBOX_SEED?: string }> {
  if (own === null) return {};
  if (own.seedFile !== null) return { SANDBOX_SEED: resolve(own.seedFile) };
  const file = join(folder.path, 'sandbox-seed.yaml');
  // JSON is YAML.
  await writeFile(file, JSON.stringify(sandboxSeed(own.file), null, 2));
  return { SANDBOX_SEED: file };
}

async function startSandbox(options: DevStackOptions, folder: DevFolder, databaseUrl: string): Promise<StartedProgram> {
  const seed = await provideSeed(folder, options.own ?? null);
  return startProgram({
    app: 'wallet-sandbox',
    folder: folder.path,
    environment: { DATABASE_URL: databaseUrl, SANDBOX_PORT: String(options.sandboxPort), ...seed },
    // If this process is killed, the programs end by themselves, and the folder must go with them.
    ...(folder.isTemporary ? { removeFolder: folder.path } : {}),
  });
}

/** What a person needs to know about a running stack, line by line. */
export function describeDevStack(stack: DevStack): readonly string[] {
  const { sandbox, daemon, postgres, folder, own } = stack;
  const named = Object.entries(own?.file.programs ?? clubs);
  const programs = named.map(([name, { brandId, programId }]) => `${name} (${brandId}/${programId})`);
  const topics = [...new Set([...Object.values(devTopics), ...namedTopics(own), ...topicPatterns(own)])];
  const kept = folder.isTemporary ? 'temporary, removed at the end' : 'kept';
  const rows: readonly (readonly [string, string])[] = [
    ['console', `${daemon.operations}/#code=${stack.loginLinks.make()}  (once, within 10 minutes)`],
    ['daemon', `${daemon.operations}  (/health/ready, /metrics)`],
    ['operator token', `${stack.operatorToken}  (this run only)`],
    ['kafka', `${stack.brokers}  topics ${topics.join(', ')}`],
    ['postgres', `${postgres.url}  (${postgres.version})`],
    ['wallet sandbox', `${sandbox.baseUrl}  ledger ${sandbox.authUrl}/__ledger  faults ${sandbox.authUrl}/__faults`],
    ['programs', `${programs.join(', ')} in ${own?.paths.programs ?? folder.programsFile}`],
    ['logs', `${daemon.logFile}, ${sandbox.logFile}`],
    ['data', `${folder.path}  (${kept})`],
  ];
  return ['', ...rows.map(([name, text]) => `  ${name.padEnd(15)} ${text}`), '', 'Ctrl-C stops everything.'];
}
