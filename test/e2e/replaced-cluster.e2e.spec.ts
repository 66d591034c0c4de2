import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { waitUntil } from '#embedded';
import { createTopics, queryOnce } from '#test-support';

import type { Broker } from '../drill/installation/broker.js';
import { startBroker } from '../drill/installation/broker.js';
import { daemonEnvironment, migrate, partitions } from '../drill/installation/chaos-harness.js';
import { ChaosPostgres } from '../drill/installation/chaos-postgres.js';
import { DaemonSlot } from '../drill/installation/daemon-slot.js';
import { programsText, sourceTopics, topicNames } from '../drill/installation/programs.js';
import { Wallet } from '../drill/installation/wallet.js';
import { readLedger } from '../reading/partner.js';
import { Undo } from '../support/process/program.js';
import type { Emission } from './traffic.js';
import { enrolled, produce, purchased } from './traffic.js';

const memberCount = 60;
const rounds = 5;
const restMsMax = 240_000;
const members = Array.from({ length: memberCount }, (_, index) => `m-${index}`);
/** Per round one sale of each member. They are told again word by word. */
const sold: readonly (readonly Emission[])[] = Array.from({ length: rounds }, (_, round) =>
  members.map((id) => purchased(id, `${id}-p${round}`)),
);

describe('a Kafka cluster that another one replaces', () => {
  const undo = new Undo();
  let folder: string;
  let programsPath: string;
  let postgres: ChaosPostgres;
  let wallet: Wallet;

  async function openBroker(): Promise<Broker> {
    const broker = await startBroker([], () => undefined);
    undo.add(() => broker.remove());
    await createTopics({ ...broker, isReal: broker.real !== null }, topicNames, partitions);
    return broker;
  }

  async function daemonOn({ brokers }: Broker, name: string): Promise<DaemonSlot> {
    const env = daemonEnvironment({ brokers, databaseUrl: postgres.url, partnerUrl: wallet.url, programsPath });
    const slot = new DaemonSlot({ name, env, logFile: join(folder, `${name}.log`) });
    undo.add(() => slot.down());
    slot.up();
    await waitUntil(() => slot.isReady, { what: 'the daemon to be ready', timeoutMs: 120_000 });
    return slot;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-replaced-'));
    undo.add(() => rm(folder, { recursive: true, force: true }));
    programsPath = join(folder, 'loyaltyd.yaml');
    await writeFile(programsPath, programsText(400));
    postgres = await ChaosPostgres.create();
    undo.add(() => postgres.remove());
    await migrate(postgres.url);
    wallet = await Wallet.start(1);
    undo.add(() => wallet.stop(join(folder, 'sandbox.log')));
  });

  afterAll(() => undo.after(() => Promise.resolve()));

  const receiptsOf = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
    const sales = (await readLedger(wallet.databaseUrl)).filter(({ operation }) => operation === 'transaction');
    const byMember = Map.groupBy(sales, ({ uniqueId }) => uniqueId ?? '');
    return new Map([...byMember].map(([id, own]) => [id, own.map(({ key }) => decodeURIComponent(key ?? ''))]));
  };
  const count = async (): Promise<number> =>
    [...(await receiptsOf()).values()].reduce((sum, { length }) => sum + length, 0);

  it('loses, doubles and overtakes nothing, though offsets begin anew and most is told again', async () => {
    const first = await openBroker();
    const before = await daemonOn(first, 'before');
    await produce(first, sourceTopics, [...members.map(enrolled), ...sold.slice(0, 3).flat()]);
    await waitUntil(async () => (await count()) > memberCount, { what: 'sales', timeoutMs: restMsMax });
    await Promise.all([before.kill(), first.remove()]);

    const second = await openBroker();
    // What the shop still has, which is not all, and what it has sold since: their offsets are those of other records before.
    await produce(second, sourceTopics, sold.slice(1).flat());
    await daemonOn(second, 'after');
    // The first round came by the other cluster alone: it was read, or nobody could know of it.
    const isThere = async (): Promise<boolean> => (await count()) >= memberCount * rounds;
    await waitUntil(isThere, { what: 'every sale', timeoutMs: restMsMax });
    const atRest = async (): Promise<boolean> =>
      (await queryOnce(postgres.url, 'SELECT FROM lane WHERE due_at IS NOT NULL LIMIT 1')).length === 0;
    await waitUntil(atRest, { what: 'rest', timeoutMs: restMsMax });
    const wanted = members.map((id) => [id, sold.map((_, round) => `berlin-07-${id}-p${round}`)]);
    const found = await receiptsOf();
    expect(members.map((id) => [id, found.get(id)])).toEqual(wanted);
    const clusters = 'SELECT DISTINCT cluster_id FROM kafka_offset';
    expect(await queryOnce(postgres.url, clusters)).toHaveLength(2);
    expect(await queryOnce(postgres.url, 'SELECT FROM quarantine')).toEqual([]);
  });
});
