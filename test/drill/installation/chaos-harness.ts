import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { migrations } from '#migrations';
import { createDataSource } from '#platform';
import { createTopics, throughProxy } from '#test-support';

import type { Chance } from '#shop';
import { ChaosProxy } from '../proxy/chaos-proxy.js';
import type { Broker } from './broker.js';
import { startBroker } from './broker.js';
import { ChaosPostgres } from './chaos-postgres.js';
import { DaemonSlot } from './daemon-slot.js';
import { partnerTimeoutMs, programsText, topicNames } from './programs.js';
import { Wallet } from './wallet.js';

/** A daemon with its own way to Postgres and Kafka; the way to the partner is everybody's, as its URL must be. */
export interface Post {
  readonly slot: DaemonSlot;
  readonly postgres: ChaosProxy;
  readonly kafka: ChaosProxy;
}

/** Everything that a run breaks. */
export interface ChaosHarness {
  readonly folder: string;
  readonly broker: Broker;
  readonly postgres: ChaosPostgres;
  readonly wallet: Wallet;
  readonly partner: ChaosProxy;
  /** The daemons of the run. */
  readonly posts: readonly Post[];
  /** One more, that joins and leaves. */
  readonly guest: Post;
  readonly programsPath: string;
  /** Some tills write receipts of their own. */
  readonly hasMarkets: true;
  /** Ends and removes everything but `folder`. */
  close(): Promise<void>;
}

interface ChaosHarnessOptions {
  readonly daemons: number;
  readonly requestsPerSecond: number;
  readonly chance: Chance;
  readonly say: (text: string) => void;
}

/** 32 bytes that no other installation uses. */
export const encryptionKey = Buffer.from([...Array(32).keys()].toReversed()).toString('base64');
/** Of an admin. */
export const operatorToken = 'operators-of-the-drill';
const operatorTokens = `chaos:admin:${createHash('sha256').update(operatorToken).digest('hex')}`;
export const partitions = 4;

interface DaemonContext {
  readonly brokers: string;
  readonly databaseUrl: string;
  readonly partnerUrl: string;
  readonly programsPath: string;
}

/** Of a daemon with all roles, on loopback. */
export const daemonEnvironment = ({
  brokers,
  databaseUrl,
  partnerUrl,
  programsPath,
}: DaemonContext): Readonly<Record<string, string>> => ({
  KAFKA_BROKERS: brokers,
  DATABASE_URL: databaseUrl,
  WALLET_BASE_URL: `${partnerUrl}/brands`,
  WALLET_AUTH_URL: partnerUrl,
  WALLET_CLIENT_ID: 'sandbox',
  WALLET_CLIENT_SECRET: 'sandbox',
  WALLET_SCOPE: 'admin',
  WALLET_TIMEOUT_MS: String(partnerTimeoutMs),
  LOYALTYD_PROGRAMS: programsPath,
  LOYALTYD_ENCRYPTION_KEY: encryptionKey,
  OPS_HOST: '127.0.0.1',
  OPS_PORT: '0',
  OPS_TOKENS: operatorTokens,
  LOG_LEVEL: 'warn',
});

/** Sets an empty database up. */
export async function migrate(url: string): Promise<void> {
  const source = createDataSource({
    url,
    poolSize: 1,
    ssl: false,
    applicationName: 'loyaltyd-chaos',
    migrations,
    onPoolError: () => undefined,
  });
  await source.initialize();
  await source.runMigrations();
  await source.destroy();
}

/** Starts everything; the daemons are told to come up by the caller. */
export async function openChaosHarness({
  daemons,
  requestsPerSecond,
  chance,
  say,
}: ChaosHarnessOptions): Promise<ChaosHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-chaos-'));
  const numbers = Array.from({ length: daemons + 1 }, (_, index) => index);
  const [postgres, wallet] = await Promise.all([ChaosPostgres.create(), Wallet.start(chance.below(1_000_000))]);
  // The broker must know its proxies' ports before it starts, and they it.
  const parts: { broker: Broker | null } = { broker: null };
  const [postgresProxies, kafkaProxies, partner] = await Promise.all([
    Promise.all(
      numbers.map((number) =>
        ChaosProxy.start({
          speaks: 'postgres',
          target: () => postgres.port,
          chance: chance.fork(`postgres ${number}`),
        }),
      ),
    ),
    Promise.all(
      numbers.map((number) =>
        ChaosProxy.start({
          speaks: 'kafka',
          target: () => parts.broker?.real?.portBehind(number) ?? null,
          chance: chance.fork(`kafka ${number}`),
        }),
      ),
    ),
    ChaosProxy.start({ speaks: 'http', target: () => wallet.port, chance: chance.fork('partner') }),
  ]);
  const broker = await startBroker(
    kafkaProxies.map(({ port }) => port),
    say,
  );
  parts.broker = broker;
  await Promise.all([
    migrate(postgres.url),
    createTopics({ ...broker, isReal: broker.real !== null }, topicNames, partitions),
  ]);
  const programsPath = join(folder, 'loyaltyd.yaml');
  await writeFile(programsPath, programsText(requestsPerSecond, { hasMarkets: true }));
  const partnerUrl = `http://127.0.0.1:${partner.port}`;
  const posts = numbers.map((number): Post => {
    const [own, kafka] = [postgresProxies[number], kafkaProxies[number]];
    if (own === undefined || kafka === undefined) throw new RangeError('no proxy');
    const env = daemonEnvironment({
      brokers: broker.real === null ? broker.brokers : `127.0.0.1:${kafka.port}`,
      databaseUrl: throughProxy(postgres.url, own),
      partnerUrl,
      programsPath,
    });
    const name = number === daemons ? 'guest' : `daemon ${number + 1}`;
    const logFile = join(folder, `${name.replace(' ', '-')}.log`);
    return { slot: new DaemonSlot({ name, env, logFile }), postgres: own, kafka };
  });
  const guest = posts.at(-1);
  if (guest === undefined) throw new RangeError('no guest');
  return {
    folder,
    broker,
    postgres,
    wallet,
    partner,
    posts: posts.slice(0, -1),
    guest,
    programsPath,
    hasMarkets: true,
    close: async () => {
      await Promise.all(posts.map(({ slot }) => slot.down()));
      await Promise.all([...postgresProxies, ...kafkaProxies, partner].map((proxy) => proxy.stop()));
      await wallet.stop(join(folder, 'sandbox.log'));
      await Promise.all([postgres.remove(), broker.remove()]);
    },
  };
}

/** Removes what a run without a finding leaves. */
export function removeFolder({ folder }: Pick<ChaosHarness, 'folder'>): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
