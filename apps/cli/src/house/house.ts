import type { Database } from '#platform';
import { startEmbeddedBroker } from '#platform';

import { ClosingList } from './closing-list.js';
import { adoptSandbox, openHouseDatabase } from './house-database.js';
import type { HouseFolder } from './house-folder.js';
import { provideHouseFolder } from './house-folder.js';
import { createOperatorToken } from './operator-token.js';
import type { ProgramsProfile } from './programs-text.js';
import { programsText } from './programs-text.js';
import { startPostgres } from './start-postgres.js';
import type { StartedProgram } from './start-program.js';
import { startProgram } from './start-program.js';

export interface HouseOptions {
  /** Keeps everything for the next start; null: a temporary folder. */
  readonly dataFolder: string | null;
  readonly profile: ProgramsProfile;
  /** 0 takes any free port. */
  readonly operationsPort: number;
  readonly sandboxPort: number;
  readonly logLevel: 'info' | 'warn';
}

/** The whole product on embedded parts, running. */
export interface House {
  readonly folder: HouseFolder;
  readonly postgres: { readonly url: string; readonly version: string };
  readonly brokers: string;
  readonly sandbox: { readonly baseUrl: string; readonly authUrl: string; readonly logFile: string };
  readonly daemon: { readonly operations: string; readonly logFile: string };
  /** For the operations API, in this run only. */
  readonly operatorToken: string;
  /** The daemon's database. */
  readonly database: Database;
  /** Resolves when a part ended by itself, with what is to be said about it. */
  readonly broken: Promise<string>;
  /** Ends all parts, the daemon first, Postgres last. */
  stop(): Promise<void>;
}

/** The topics of contracts.md section 1. */
export const houseTopics = {
  members: 'loyalty.members',
  purchases: 'loyalty.purchases',
  rewards: 'loyalty.rewards',
} as const;

const outTopics = ['loyalty.outcomes', 'loyalty.dead-letter'];

/** Starts everything, or nothing: what was started is stopped again when a later part fails. */
export async function startHouse(options: HouseOptions): Promise<House> {
  const closing = new ClosingList();
  try {
    return await startParts(options, closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function startParts(options: HouseOptions, closing: ClosingList): Promise<House> {
  const folder = await provideHouseFolder(options.dataFolder, programsText(options.profile));
  closing.add(() => folder.remove());
  const postgres = await startPostgres(folder);
  closing.add(() => postgres.stop());
  const broker = await startEmbeddedBroker({ topics: [...Object.values(houseTopics), ...outTopics] });
  closing.add(() => broker.stop());
  const database = await openHouseDatabase(postgres.url);
  closing.add(() => database.close());
  const sandbox = await startSandbox(options, folder, postgres.url);
  closing.add(() => sandbox.stop());
  const [baseUrl, authUrl] = [String(sandbox.ready['baseUrl']), String(sandbox.ready['authUrl'])];
  await adoptSandbox(database, { baseUrl, environment: 'sandbox' });
  const token = createOperatorToken('dev');
  const daemon = await startProgram({
    app: 'daemon',
    folder: folder.path,
    environment: {
      KAFKA_BROKERS: broker.brokers,
      DATABASE_URL: postgres.url,
      WALLET_BASE_URL: baseUrl,
      WALLET_AUTH_URL: authUrl,
      ...sandboxAccess,
      LOYALTYD_PROGRAMS: folder.programsFile,
      LOYALTYD_ENCRYPTION_KEY_FILE: folder.encryptionKeyFile,
      OPS_HOST: '127.0.0.1',
      OPS_PORT: String(options.operationsPort),
      OPS_TOKENS: token.setting,
      LOG_LEVEL: options.logLevel,
    },
  });
  closing.add(() => daemon.stop());
  return {
    folder,
    postgres,
    brokers: broker.brokers,
    sandbox: { baseUrl, authUrl, logFile: sandbox.logFile },
    daemon: { operations: String(daemon.ready['operations']), logFile: daemon.logFile },
    operatorToken: token.token,
    database: database.database,
    broken: Promise.race([daemon.ended, sandbox.ended]),
    stop: () => closing.close(),
  };
}

/** What the sandbox expects of its clients by default (contracts.md section 9). */
const sandboxAccess = { WALLET_CLIENT_ID: 'sandbox', WALLET_CLIENT_SECRET: 'sandbox', WALLET_SCOPE: 'admin' };

function startSandbox(options: HouseOptions, folder: HouseFolder, databaseUrl: string): Promise<StartedProgram> {
  return startProgram({
    app: 'wallet-sandbox',
    folder: folder.path,
    environment: { DATABASE_URL: databaseUrl, SANDBOX_PORT: String(options.sandboxPort) },
    // If this process is killed, the programs end by themselves, and the folder must go with them.
    ...(folder.isTemporary ? { removeFolder: folder.path } : {}),
  });
}
