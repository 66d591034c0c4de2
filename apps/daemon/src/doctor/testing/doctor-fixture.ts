import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DoctorCheck, DoctorReport } from '#contracts';
import { readEnvironmentParts } from '#contracts';
import { startEmbeddedPostgres } from '#embedded';
import { grantApplication, openInstallation } from '#intents';
import { migrations } from '#migrations';
import type { Clock } from '#platform';
import { createLogger, Keyring, PostgresConnection, SystemClock, SystemRandom } from '#platform';
import type { RunningProcess, TestBroker, TestTopics } from '#test-support';
import {
  createPlainUser,
  createTopics,
  programCommand,
  queryOnce,
  startProcess,
  testBroker,
  testDatabase,
  testTopics,
} from '#test-support';

import { diagnose } from '../doctor.js';

type Variables = Readonly<Record<string, string | undefined>>;

const encryptionKey = Buffer.from([...Array(32).keys()]);
/** Of the sandbox's default seed. */
const programsText = `
programs:
  coffee-club:
    brandId: "101"
    programId: "2001"
    currency: EUR
    tiers: { basic: 1, gold: 2 }
    templateId: 11
    purchases: { completed: { transactionTypeId: "31" } }
    rewards: { free-coffee: "9001" }
`;

/** A report with its checks by name. */
export interface Examined {
  readonly report: DoctorReport;
  readonly isConfigurationValid: boolean;
  /** @throws where there is no such check */
  check(name: string): DoctorCheck;
  /** Names of the checks that ended so. */
  named(state: DoctorCheck['state']): readonly string[];
}

/** Everything that a daemon depends on, without a daemon. */
export interface DoctorFixture {
  readonly broker: TestBroker;
  readonly topics: TestTopics;
  readonly sandbox: RunningProcess;
  /** Changes something in the daemon's database. */
  sql(text: string): Promise<void>;
  query(text: string): Promise<readonly unknown[]>;
  readonly environment: Variables;
  examine(changes?: Variables, clock?: Clock): Promise<Examined>;
  /** What the programs file holds at first. */
  readonly programsText: string;
  writePrograms(text: string): Promise<void>;
  close(): Promise<void>;
}

/** What the first start leaves in a database. */
async function openDatabase(url: string, baseUrl: string): Promise<void> {
  const settings = { poolSize: 2, ssl: false, applicationName: 'doctor-spec', migrations } as const;
  const connection = new PostgresConnection({ url, ...settings, onPoolError: () => undefined });
  await connection.connect();
  await connection.runMigrations();
  const tools = { keyring: new Keyring([encryptionKey]), random: new SystemRandom(), now: Date.now() };
  await openInstallation(connection.database, { baseUrl, environment: 'sandbox' }, tools);
  await grantApplication(connection.database, runRole);
  await connection.close();
}

const runRole = 'daemon';

/** Examines by an environment, and waits until everything is closed again. */
export async function examineBy(env: Variables, clock: Clock = new SystemClock()): Promise<Examined> {
  const readFile = (path: string): string => readFileSync(path, 'utf8');
  const logger = createLogger({ level: 'silent', service: 'doctor-spec' });
  const { report, isConfigurationValid, released } = await diagnose(readEnvironmentParts(env, { readFile }), {
    clock,
    logger,
  });
  await released;
  const { checks } = report;
  return {
    report,
    isConfigurationValid,
    check: (name) => {
      const found = checks.find((each) => each.name === name);
      if (found === undefined) throw new Error(`no check ${name} in ${checks.map((each) => each.name).join(', ')}`);
      return found;
    },
    named: (state) => checks.filter((each) => each.state === state).map(({ name }) => name),
  };
}

export async function openDoctorFixture(): Promise<DoctorFixture> {
  // A server of our own: the one for tests trades its safety for speed, which the doctor would say.
  const [broker, postgres, sandboxDatabase] = await Promise.all([
    testBroker(),
    startEmbeddedPostgres({ database: 'loyaltyd' }),
    testDatabase({ migrate: false }),
  ]);
  const topics = testTopics();
  await createTopics(broker, topics.all);
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-doctor-'));
  const programsPath = join(folder, 'loyaltyd.yaml');
  await writeFile(programsPath, programsText);
  const sandbox = await startProcess({
    ...programCommand('apps/wallet-sandbox/src/main.ts'),
    env: { DATABASE_URL: sandboxDatabase.url, SANDBOX_PORT: '0' },
  });
  const { baseUrl, authUrl } = sandbox.ready as { readonly baseUrl: string; readonly authUrl: string };
  const runUrl = await createPlainUser(postgres.adminUrl, runRole);
  await openDatabase(postgres.url, baseUrl);
  const environment: Variables = {
    KAFKA_BROKERS: broker.brokers,
    ...topics.environment,
    DATABASE_URL: runUrl,
    WALLET_BASE_URL: baseUrl,
    WALLET_AUTH_URL: authUrl,
    WALLET_CLIENT_ID: 'sandbox',
    WALLET_CLIENT_SECRET: 'sandbox',
    WALLET_SCOPE: 'admin',
    LOYALTYD_PROGRAMS: programsPath,
    LOYALTYD_ENCRYPTION_KEY: encryptionKey.toString('base64'),
    OPS_TOKENS: `test:admin:${'a'.repeat(64)}`,
  };
  return {
    broker,
    topics,
    sandbox,
    environment,
    sql: async (text) => {
      await queryOnce(postgres.adminUrl, text);
    },
    query: (text) => queryOnce(postgres.url, text),
    examine: (changes = {}, clock) => examineBy({ ...environment, ...changes }, clock),
    programsText,
    writePrograms: (text) => writeFile(programsPath, text),
    close: async () => {
      await sandbox.stop();
      await Promise.all([postgres.stop(), sandboxDatabase.dispose(), rm(folder, { recursive: true })]);
    },
  };
}
