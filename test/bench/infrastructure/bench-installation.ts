import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTopics, deleteTopics, type TestBroker, testBroker, testTopics } from '#test-support';
import { fillStore } from '../backlog/fill-store.js';
import { programsText } from '../bench-program.js';
import type { MeasureTools } from '../measures/measure.js';
import { type PartnerStub, startStub } from '../stub/start-stub.js';
import type { Undo } from '../undo.js';
import { type BenchDaemon, startBenchDaemon } from './bench-daemon.js';

/** Kafka topics, a database with members, the partner stub, and one daemon between them. */
export interface BenchInstallation {
  readonly broker: TestBroker;
  readonly purchases: string;
  readonly stub: PartnerStub;
  readonly daemon: BenchDaemon;
}

const settings = { LOYALTYD_ROLES: 'ingest,delivery,operations', OPS_HOST: '127.0.0.1', OPS_PORT: '0' } as const;
const operatorToken = `bench:admin:${'0'.repeat(64)}`;

const writePrograms = async (concurrency: number, undo: Undo): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-bench-'));
  undo.add(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'loyaltyd.yaml');
  await writeFile(path, programsText(concurrency));
  return path;
};

/** Each member has one intent already, which the daemon delivers first: their passes are known. */
export const openInstallation = async (
  { plan, postgres, encryptionKey }: MeasureTools,
  members: number,
  undo: Undo,
): Promise<BenchInstallation> => {
  const broker = await testBroker();
  const topics = testTopics();
  await createTopics(broker, topics.all);
  undo.add(() => deleteTopics(broker, topics.all));
  const databaseUrl = await postgres.create('installation');
  undo.add(() => postgres.drop('installation'));
  await fillStore(databaseUrl, encryptionKey, { members, intentsPerMember: 1 });
  const stub = await startStub(['arrivals']);
  undo.add(() => stub.stop());
  const daemon = await startBenchDaemon({
    ...settings,
    ...topics.environment,
    KAFKA_BROKERS: broker.brokers,
    DATABASE_URL: databaseUrl,
    WALLET_BASE_URL: `${stub.origin}/brands`,
    WALLET_AUTH_URL: stub.origin,
    WALLET_CLIENT_ID: 'bench',
    WALLET_CLIENT_SECRET: 'bench',
    WALLET_SCOPE: 'bench',
    LOYALTYD_PROGRAMS: await writePrograms(plan.deliveryConcurrency, undo),
    LOYALTYD_ENCRYPTION_KEY: encryptionKey,
    OPS_TOKENS: operatorToken,
  });
  undo.add(() => daemon.stop());
  return { broker, purchases: topics.purchases, stub, daemon };
};
