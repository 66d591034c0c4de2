import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createTopics } from '#test-support';

import type { Broker } from '../../chaos/installation/broker.js';
import { startBroker } from '../../chaos/installation/broker.js';
import { encryptionKey, migrate, partitions } from '../../chaos/installation/chaos-house.js';
import { ChaosPostgres } from '../../chaos/installation/chaos-postgres.js';
import { DaemonSlot } from '../../chaos/installation/daemon-slot.js';
import { topicNames } from '../../chaos/installation/topics.js';
import { Wallet } from '../../chaos/installation/wallet.js';
import type { Undo } from '../../support/process/program.js';
import { ProgramsFile } from './programs-file.js';
import { SecretFiles } from './secret-files.js';

/** Everything that a run uses; nothing stands between the processes. */
export interface SoakHouse {
  /** Logs, programs file, secrets. */
  readonly folder: string;
  /** Whether the folder outlives the run: nobody looks at one without a flaw. */
  readonly evidence: { isKept: boolean };
  readonly broker: Broker;
  readonly postgres: ChaosPostgres;
  readonly wallet: Wallet;
  readonly programs: ProgramsFile;
  readonly programsPath: string;
  readonly secrets: SecretFiles;
  /** The daemons that are restarted each minute. */
  readonly crew: readonly DaemonSlot[];
  /** One more, that never is: what leaks shows in it. */
  readonly veteran: DaemonSlot;
  /** All daemons. */
  readonly slots: readonly DaemonSlot[];
}

export interface SoakHouseOptions {
  readonly daemons: number;
  readonly requestsPerSecond: number;
  readonly seed: number;
  readonly say: (text: string) => void;
}

export const poolSize = 10;
export const groupId = 'loyaltyd';
/** What docs/operations/install.md recommends where memory is limited. */
const nodeOptions = '--max-old-space-size=384 --max-semi-space-size=32';

interface Parts {
  readonly broker: Broker;
  readonly postgres: ChaosPostgres;
  readonly wallet: Wallet;
  readonly programsPath: string;
  readonly secrets: SecretFiles;
}

function environmentOf({ broker, postgres, wallet, programsPath, secrets }: Parts): Record<string, string> {
  return {
    NODE_OPTIONS: nodeOptions,
    KAFKA_BROKERS: broker.brokers,
    KAFKA_GROUP_ID: groupId,
    DATABASE_URL: postgres.url,
    DATABASE_POOL_SIZE: String(poolSize),
    WALLET_BASE_URL: `${wallet.url}/brands`,
    WALLET_AUTH_URL: wallet.url,
    WALLET_CLIENT_ID: 'sandbox',
    WALLET_CLIENT_SECRET_FILE: secrets.clientSecretPath,
    WALLET_SCOPE: 'admin',
    LOYALTYD_PROGRAMS: programsPath,
    LOYALTYD_ENCRYPTION_KEY: encryptionKey,
    OPS_HOST: '127.0.0.1',
    OPS_PORT: '0',
    OPS_TOKENS_FILE: secrets.operatorTokensPath,
  };
}

function slotOf(name: string, env: Readonly<Record<string, string>>, folder: string): DaemonSlot {
  return new DaemonSlot({ name, env, logFile: join(folder, `${name.replace(' ', '-')}.log`) });
}

/** Starts everything; the daemons are told to come up by the caller. What `undo` gets ends and removes everything. */
export async function openSoakHouse(options: SoakHouseOptions, undo: Undo): Promise<SoakHouse> {
  const { daemons, requestsPerSecond, seed, say } = options;
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-soak-'));
  const evidence = { isKept: true };
  undo.add(async () => {
    if (!evidence.isKept) await rm(folder, { recursive: true, force: true });
  });
  const postgres = await ChaosPostgres.create();
  undo.add(() => postgres.remove());
  const wallet = await Wallet.start(seed);
  undo.add(() => wallet.stop(join(folder, 'sandbox.log')));
  const broker = await startBroker([], say);
  undo.add(() => broker.remove());
  await createTopics({ ...broker, isReal: broker.real !== null }, topicNames, partitions);
  await migrate(postgres.url);
  const programs = new ProgramsFile(join(folder, 'loyaltyd.yaml'), requestsPerSecond);
  await programs.write();
  const secrets = new SecretFiles(folder);
  await wallet.rotateSecret(await secrets.renewClientSecret());
  await secrets.renewOperatorToken();
  const env = environmentOf({ broker, postgres, wallet, programsPath: programs.path, secrets });
  const crew = Array.from({ length: daemons }, (_, index) => slotOf(`daemon ${index + 1}`, env, folder));
  const veteran = slotOf('veteran', env, folder);
  const slots = [...crew, veteran];
  undo.add(() => Promise.all(slots.map((slot) => slot.down())));
  const files = { folder, evidence, programs, programsPath: programs.path, secrets };
  return { ...files, broker, postgres, wallet, crew, veteran, slots };
}
