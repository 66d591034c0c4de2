import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runShard } from '#daemon';
import { waitUntil } from '#embedded';
import { Chance } from '#shop';
import { createTopics, queryOnce, throughProxy } from '#test-support';

import type { Broker } from '../drill/installation/broker.js';
import { startBroker } from '../drill/installation/broker.js';
import { daemonEnvironment, migrate, partitions } from '../drill/installation/chaos-harness.js';
import { ChaosPostgres } from '../drill/installation/chaos-postgres.js';
import { DaemonSlot } from '../drill/installation/daemon-slot.js';
import { programsText, sourceTopics, topicNames } from '../drill/installation/programs.js';
import { Wallet } from '../drill/installation/wallet.js';
import { ChaosProxy } from '../drill/proxy/chaos-proxy.js';
import { readLedger } from '../reading/partner.js';
import { Undo } from '../support/process/program.js';
import type { Emission } from './traffic.js';
import { enrolled, produce, purchased } from './traffic.js';

const memberCount = 120;
const purchasesPerMember = 6;
const restMsMax = 240_000;
const members = Array.from({ length: memberCount }, (_, index) => `m-${index}`);

/** One database on a server of its own, and a daemon that reaches it by an address that stays. */
interface Shard {
  readonly postgres: ChaosPostgres;
  readonly slot: DaemonSlot;
}

/** Per round one sale of each member, so that every lane is in the middle of its work when a server dies. */
const round = (index: number): Emission[] => members.map((id) => purchased(id, `${id}-p${index}`));

describe('two shards on two servers', () => {
  const undo = new Undo();
  let broker: Broker;
  let wallet: Wallet;
  let shards: readonly [Shard, Shard];

  async function openShard(name: string, owned: string, programsPath: string): Promise<Shard> {
    const postgres = await ChaosPostgres.create();
    undo.add(() => postgres.remove());
    await migrate(postgres.url);
    const flags = { of: String(partitions), shop: 'drill', by: 'drill', reason: 'two shards' };
    expect(await runShard({ DATABASE_URL: postgres.url }, { partitions: owned, ...flags })).toBe(0);
    const chance = new Chance(1);
    const proxy = await ChaosProxy.start({ speaks: 'postgres', target: () => postgres.port, chance });
    undo.add(() => proxy.stop());
    const databaseUrl = throughProxy(postgres.url, proxy);
    const env = daemonEnvironment({ brokers: broker.brokers, databaseUrl, partnerUrl: wallet.url, programsPath });
    const slot = new DaemonSlot({ name, env, logFile: join(programsPath, '..', `${name}.log`) });
    undo.add(() => slot.down());
    return { postgres, slot };
  }

  beforeAll(async () => {
    jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
    const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-shards-'));
    undo.add(() => rm(folder, { recursive: true, force: true }));
    const programsPath = join(folder, 'loyaltyd.yaml');
    await writeFile(programsPath, programsText(400));
    broker = await startBroker([], () => undefined);
    undo.add(() => broker.remove());
    wallet = await Wallet.start(1);
    undo.add(() => wallet.stop(join(folder, 'sandbox.log')));
    await createTopics({ ...broker, isReal: broker.real !== null }, topicNames, partitions);
    shards = [await openShard('one', '0-1', programsPath), await openShard('other', '2-3', programsPath)];
    for (const { slot } of shards) slot.up();
    const areReady = (): boolean => shards.every(({ slot }) => slot.isReady);
    await waitUntil(areReady, { what: 'the daemons to be ready', timeoutMs: 120_000 });
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    await undo.after(() => Promise.resolve());
  });

  const send = (emissions: readonly Emission[]): Promise<void> => produce(broker, sourceTopics, emissions);

  const sales = async (): Promise<readonly { readonly member: string; readonly receipt: string }[]> =>
    (await readLedger(wallet.databaseUrl)).flatMap(({ operation, uniqueId, key }) =>
      operation === 'transaction' ? [{ member: uniqueId ?? '', receipt: decodeURIComponent(key ?? '') }] : [],
    );

  it('lose, double and overtake nothing, one of them killed in the middle with its server', async () => {
    const [one, other] = shards;
    const held = await wallet.misbehave([
      { operation: 'transaction', kind: 'drop-after', probability: 0.05 },
      { operation: 'transaction', kind: 'error-before', status: 503, probability: 0.05 },
    ]);
    await send([...members.map(enrolled), ...[0, 1, 2].flatMap(round)]);
    await waitUntil(async () => (await sales()).length > memberCount, { what: 'sales', timeoutMs: restMsMax });
    await Promise.all([one.postgres.kill(), one.slot.kill()]);
    const before = (await sales()).length;
    await send([3, 4].flatMap(round));
    // The other one goes on meanwhile, and takes nothing over.
    const goesOn = async (): Promise<boolean> => (await sales()).length > before + memberCount / 2;
    await waitUntil(goesOn, { what: 'the other shard to go on', timeoutMs: restMsMax });
    await other.slot.kill();
    await one.postgres.start();
    await send(round(5));
    await held();
    const isThere = async (): Promise<boolean> => (await sales()).length >= memberCount * purchasesPerMember;
    await waitUntil(isThere, { what: 'every sale', timeoutMs: restMsMax });
    const atRest = async ({ postgres }: Shard): Promise<boolean> =>
      (await queryOnce(postgres.url, 'SELECT FROM lane WHERE due_at IS NOT NULL LIMIT 1')).length === 0;
    const areAtRest = async (): Promise<boolean> => (await Promise.all(shards.map(atRest))).every(Boolean);
    await waitUntil(areAtRest, { what: 'both to be at rest', timeoutMs: restMsMax });
    const found = Map.groupBy(await sales(), ({ member }) => member);
    const wanted = members.map((id) => [
      id,
      Array.from({ length: purchasesPerMember }, (_, at) => `berlin-07-${id}-p${at}`),
    ]);
    expect(members.map((id) => [id, found.get(id)?.map(({ receipt }) => receipt)])).toEqual(wanted);
    const numbers = await Promise.all(
      shards.map(({ postgres }) =>
        queryOnce<{ partition: number }>(postgres.url, 'SELECT DISTINCT partition FROM intent ORDER BY 1'),
      ),
    );
    expect(numbers.map((rows) => rows.map(({ partition }) => partition))).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });
});
