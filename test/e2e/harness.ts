import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { RunningProcess, TestBroker, TestDatabase, TestTopics } from '#test-support';
import { createTopics, programCommand, startProcess, testBroker, testDatabase, testTopics } from '#test-support';

/** Program `coffee-club` on the sandbox's default seed, without a rate limit of ours; the sandbox is never 2 s late. */
export const programsFile = `
programs:
  coffee-club:
    brandId: "101"
    programId: "2001"
    currency: EUR
    uniqueIdKey: memberId
    enrolment: { via: issue }
    update: { via: workflow, workflowId: "78" }
    templateId: 11
    tiers: { basic: 1, gold: 2 }
    purchases:
      completed: { transactionTypeId: "31", attributes: { store: storeId, receipt: purchaseId }, uniqueAttribute: receipt, uniqueEnforced: true }
      refunded: { transactionTypeId: "32", sign: -1, attributes: { receipt: refundId, of: purchaseId }, uniqueAttribute: receipt, uniqueEnforced: true }
    rewards: { free-coffee: { id: "9001", pointsDelta: -10 }, sticker: "9002" }
    inFlightMs: 2000
    eventsMay: { erase: true, merge: true }
`;

/** A whole installation of our own: broker, topics, two databases, the sandbox; daemons are started as needed. */
export interface Harness {
  readonly broker: TestBroker;
  readonly topics: TestTopics;
  readonly database: TestDatabase;
  readonly sandbox: RunningProcess;
  readonly sandboxUrl: string;
  /** What the partner keeps: for what only its own people could do. */
  readonly sandboxDatabaseUrl: string;
  /** What daemons are configured by. */
  readonly environment: Readonly<Record<string, string>>;
  startDaemon(env?: Readonly<Record<string, string>>): Promise<RunningProcess>;
  /** Everything that its daemons have said so far, on both streams. */
  output(): string;
  /** Stops its daemons, and leaves the rest. */
  closeDaemons(): Promise<void>;
  /** Replaces the programs file that the daemons were started with. */
  writePrograms(text: string): Promise<void>;
  close(): Promise<void>;
}

/** What all daemons of a harness seal with. */
export const encryptionKey = Buffer.from([...Array(32).keys()]).toString('base64');
const operatorToken = `test:admin:${'a'.repeat(64)}`;

/** How its partner speaks, where that is not as assumed. */
interface SpokenAs {
  readonly seed: object;
  readonly dialect: object;
}

/** @param programs text of the programs file; by default `coffee-club` */
export async function openHarness(programs: string = programsFile, spokenAs: SpokenAs | null = null): Promise<Harness> {
  const [broker, database, sandboxDatabase] = await Promise.all([
    testBroker(),
    testDatabase(),
    testDatabase({ migrate: false }),
  ]);
  const topics = testTopics();
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-harness-'));
  const programsPath = join(folder, 'loyaltyd.yaml');
  const [seedPath, dialectPath] = [join(folder, 'seed.yaml'), join(folder, 'dialect.yaml')];
  if (spokenAs !== null) {
    // YAML takes JSON.
    await writeFile(seedPath, JSON.stringify(spokenAs.seed));
    await writeFile(dialectPath, JSON.stringify(spokenAs.dialect));
  }
  const [sandbox] = await Promise.all([
    startProcess({
      ...programCommand('apps/wallet-sandbox/src/main.ts'),
      env: {
        DATABASE_URL: sandboxDatabase.url,
        SANDBOX_PORT: '0',
        ...(spokenAs === null ? {} : { SANDBOX_SEED: seedPath }),
      },
    }),
    createTopics(broker, topics.all),
    writeFile(programsPath, programs),
  ]);
  const { baseUrl, authUrl } = sandbox.ready as { baseUrl: string; authUrl: string };
  const environment = {
    KAFKA_BROKERS: broker.brokers,
    ...topics.environment,
    DATABASE_URL: database.url,
    WALLET_BASE_URL: baseUrl,
    WALLET_AUTH_URL: authUrl,
    WALLET_CLIENT_ID: 'sandbox',
    WALLET_CLIENT_SECRET: 'sandbox',
    WALLET_SCOPE: 'admin',
    LOYALTYD_PROGRAMS: programsPath,
    ...(spokenAs === null ? {} : { WALLET_DIALECT: dialectPath }),
    LOYALTYD_ENCRYPTION_KEY: encryptionKey,
    OPS_HOST: '127.0.0.1',
    OPS_PORT: '0',
    OPS_TOKENS: operatorToken,
  };
  const daemons: RunningProcess[] = [];
  const closeDaemons = async (): Promise<void> => {
    await Promise.all(daemons.map((daemon) => daemon.stop()));
  };
  return {
    broker,
    topics,
    database,
    sandbox,
    sandboxUrl: authUrl,
    sandboxDatabaseUrl: sandboxDatabase.url,
    environment,
    startDaemon: async (env = {}) => {
      const daemon = await startProcess({
        ...programCommand('apps/daemon/src/main.ts'),
        env: { ...environment, ...env },
      });
      daemons.push(daemon);
      return daemon;
    },
    output: () => daemons.map((daemon) => daemon.stdout() + daemon.stderr()).join('\n'),
    closeDaemons,
    writePrograms: (text) => writeFile(programsPath, text),
    close: async () => {
      await closeDaemons();
      await sandbox.stop();
      await Promise.all([database.dispose(), sandboxDatabase.dispose(), rm(folder, { recursive: true })]);
    },
  };
}

/**
 * A folder of files as Kubernetes mounts a Secret: each name is a link into `..data`, itself a link to a folder that is
 * never written to again. A change is a new folder and one move of that link.
 */
export class MountedSecrets {
  private generation = 0;

  private constructor(
    private readonly folder: string,
    private content: Readonly<Record<string, string>>,
  ) {}

  static async mount(content: Readonly<Record<string, string>>): Promise<MountedSecrets> {
    const secrets = new MountedSecrets(await mkdtemp(join(tmpdir(), 'loyaltyd-secrets-')), content);
    await secrets.change({});
    for (const name of Object.keys(content)) await symlink(`..data/${name}`, secrets.path(name));
    return secrets;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** All at once. */
  async change(changes: Readonly<Record<string, string>>): Promise<void> {
    const [old, next] = [`..generation-${this.generation}`, `..generation-${(this.generation += 1)}`];
    this.content = { ...this.content, ...changes };
    await mkdir(this.path(next));
    for (const [name, text] of Object.entries(this.content)) await writeFile(join(this.folder, next, name), text);
    await symlink(next, this.path('..data_tmp'));
    await rename(this.path('..data_tmp'), this.path('..data'));
    await rm(this.path(old), { recursive: true, force: true });
  }

  async unmount(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}
