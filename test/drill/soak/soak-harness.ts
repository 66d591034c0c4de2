import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createTopics } from '#test-support';

import type { Broker } from '../installation/broker.js';
import { startBroker } from '../installation/broker.js';
import { encryptionKey, migrate, partitions } from '../installation/chaos-harness.js';
import { ChaosPostgres } from '../installation/chaos-postgres.js';
import { DaemonSlot } from '../installation/daemon-slot.js';
import { programsText, topicNames } from '../installation/programs.js';
import { Wallet } from '../installation/wallet.js';
import type { Undo } from '../../support/process/program.js';

const secretBytes = 24;

/** Files are replaced whole, as an orchestrator does it with mounted ones: nobody reads half of one. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

/** What the daemons' `NAME_FILE` variables point at, and who holds what. Secrets of before are remembered. */
class SecretFiles {
  readonly clientSecretPath: string;
  readonly operatorTokensPath: string;
  private readonly everHeld: string[] = [];
  private token = '';

  constructor(folder: string) {
    this.clientSecretPath = join(folder, 'client-secret');
    this.operatorTokensPath = join(folder, 'operator-tokens');
  }

  /** All of them, the old ones too: none may be read anywhere. */
  get all(): readonly string[] {
    return this.everHeld;
  }

  /** The operator's, as it is now. */
  get operatorToken(): string {
    return this.token;
  }

  /** @returns the new one, which only the file knows yet */
  async renewClientSecret(): Promise<string> {
    const secret = this.invent();
    await replaceFile(this.clientSecretPath, secret);
    return secret;
  }

  async renewOperatorToken(): Promise<void> {
    this.token = this.invent();
    const hash = createHash('sha256').update(this.token).digest('hex');
    await replaceFile(this.operatorTokensPath, `soak:admin:${hash}\n`);
  }

  private invent(): string {
    const secret = randomBytes(secretBytes).toString('hex');
    this.everHeld.push(secret);
    return secret;
  }
}

/** No till ever names it: what a season adds changes the file, and nothing that was routed before. */
const place = 'sticker: "9002" }';

/** The programs file of a run, in as many editions as wanted. */
class ProgramsFile {
  private edition = 0;

  constructor(
    readonly path: string,
    private readonly requestsPerSecond: number,
  ) {}

  async write(): Promise<void> {
    await writeFile(this.path, this.text);
  }

  /** Another valid one. */
  async change(): Promise<void> {
    this.edition += 1;
    await replaceFile(this.path, this.text);
  }

  /** One that no process may take over. */
  async spoil(): Promise<void> {
    await replaceFile(this.path, this.text.replace('currency: EUR', 'currency: euro'));
  }

  /** The last valid one again. */
  async restore(): Promise<void> {
    await replaceFile(this.path, this.text);
  }

  private get text(): string {
    const season = `sticker: "9002", season-${this.edition}: "9002" }`;
    return programsText(this.requestsPerSecond).replace(place, season);
  }
}

/** Everything that a run uses; nothing stands between the processes. */
export interface SoakHarness {
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

interface SoakHarnessOptions {
  readonly daemons: number;
  readonly requestsPerSecond: number;
  readonly seed: number;
  readonly say: (text: string) => void;
}

const poolSize = 10;
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
export async function openSoakHarness(options: SoakHarnessOptions, undo: Undo): Promise<SoakHarness> {
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
