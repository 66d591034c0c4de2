import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

import { waitUntil } from '#embedded';
import { createLogger, SystemClock, SystemRandom } from '#platform';
import {
  createTopics,
  describeWithRealKafka,
  kafkaClient,
  testBroker,
  testTopics,
  type TestTopics,
} from '#test-support';

import {
  isTooLarge,
  type ConsumerSettings,
  type FetchedRecord,
  type KafkaConnection,
  type KafkaDriver,
  type SkippedRange,
  type Source,
  type SourceListener,
} from '../driver.js';
import type { UnreadPartition } from '../share-shards.js';
import { type LogLine, recordingLogger } from './recording.js';

type MakeDriver = () => KafkaDriver;

const timeoutMs = 60_000;
const silent = createLogger({ level: 'silent', service: 'driver-spec' });
const broker = await testBroker();
const kafka = kafkaClient(broker);
const connection: KafkaConnection = { brokers: broker.brokers.split(','), clientId: 'driver-spec' };

const [firstBroker = ''] = connection.brokers;

/** What a driver gives of one topic, each partition from an offset on; every batch is acknowledged. */
class Reading {
  readonly records: FetchedRecord[] = [];
  readonly skipped: SkippedRange[] = [];
  partitions: readonly number[] = [];
  readonly lines: LogLine[];
  readonly source: Source;

  constructor(
    makeDriver: MakeDriver,
    topics: Pick<TestTopics, 'purchases' | 'groupId'>,
    more: Partial<Pick<ConsumerSettings, 'shard'>> & {
      readonly at?: KafkaConnection;
      readonly from?: number;
      readonly batch?: SourceListener['batch'];
    } = {},
  ) {
    const { at = connection, from = 0, batch, shard } = more;
    const { logger, lines } = recordingLogger();
    this.lines = lines;
    this.source = makeDriver().consumer(
      {
        ...{ connection: () => at, groupId: topics.groupId, installation: 'spec', topics: [topics.purchases] },
        decompressedBytesMax: 64 * 1024 * 1024,
        ...(shard !== undefined && { shard }),
      },
      { clock: new SystemClock(), random: new SystemRandom(), logger },
    );
    this.source.start({
      assigned: (partitions) => {
        this.partitions = partitions.map(({ partition }) => partition);
        for (const partition of partitions) this.source.seek(partition, from);
        for (const partition of partitions) this.source.resume(partition);
      },
      skipped: (range) => this.skipped.push(range),
      batch: async (fetched, lease) => {
        await batch?.(fetched, lease);
        this.records.push(...fetched.records);
        lease.acknowledge(fetched.nextOffset);
      },
    });
  }

  get values(): readonly (string | undefined)[] {
    return this.records.map(({ value }) => (value === null ? undefined : Buffer.from(value).toString()));
  }

  async has(count: number): Promise<this> {
    await waitUntil(() => this.records.length >= count, { what: `${count} records`, timeoutMs });
    return this;
  }
}

async function produce(topic: string, ...values: readonly string[]): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, messages: values.map((value) => ({ partition: 0, value })) });
  await producer.disconnect();
}

/** A server that takes connections and treats them as the test says. */
class FakeBroker {
  private readonly sockets = new Set<Socket>();
  readonly server: Server = createServer((socket) => {
    this.sockets.add(socket.on('error', () => undefined));
    this.onSocket(socket);
  });
  onSocket: (socket: Socket) => void = () => undefined;

  async listen(host = '127.0.0.1'): Promise<this> {
    await once(this.server.listen(0, host), 'listening');
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

function consumerGives(makeDriver: MakeDriver): void {
  let topics: TestTopics;

  beforeEach(async () => {
    topics = testTopics();
    await createTopics(broker, [topics.purchases], 1);
  });

  it('gives records as they were sent, from the offset that was sought', async () => {
    const producer = kafka.producer();
    await producer.connect();
    const headers = { one: 'h', several: ['a', 'b'] };
    const sent = [{ value: 'passed over' }, { key: 'k', value: 'v', headers }, { value: null }];
    await producer.send({ topic: topics.purchases, messages: sent });
    await producer.disconnect();
    const reading = await new Reading(makeDriver, topics, { from: 1 }).has(2);
    await reading.source.stop();
    const bytes = (text: string): Buffer => Buffer.from(text);
    const brokerAt = expect.any(Number) as number;
    expect(reading.records).toEqual([
      {
        ...{ offset: 1, brokerAt, key: bytes('k'), value: bytes('v') },
        headers: { one: bytes('h'), several: [bytes('a'), bytes('b')] },
      },
      { offset: 2, brokerAt, key: null, value: null, headers: {} },
    ]);
  });

  it('is built anew when it crashed, and gives the batch again', async () => {
    await produce(topics.purchases, 'one', 'two');
    const crashed = (): boolean => reading.lines.some(({ message }) => message.startsWith('the Kafka consumer ended'));
    const batch = (): Promise<void> => (crashed() ? Promise.resolve() : Promise.reject(new TypeError('a defect')));
    const reading = new Reading(makeDriver, topics, { batch });
    await reading.has(2);
    await reading.source.stop();
    expect(reading.records.map(({ offset }) => offset)).toEqual([0, 1]);
  });

  it('tells where partitions begin and end, and which record came first after a time', async () => {
    await produce(topics.purchases, 'one', 'two');
    const { source } = new Reading(makeDriver, topics);
    const facts = await source.facts({ topics: [topics.purchases], timeMs: 0 });
    await source.stop();
    expect(facts).toMatchObject({
      clusterId: expect.stringMatching(/./) as string,
      watermarks: new Map([[topics.purchases, [{ partition: 0, low: 0, high: 2 }]]]),
      offsetsAt: new Map([[`${topics.purchases}/0`, 0]]),
    });
  });
}

function consumerStops(makeDriver: MakeDriver): void {
  it('regression: its first question to a broker that never answers is cut off by a stop, not waited for', async () => {
    const hung = await new FakeBroker().listen();
    const { source, lines } = new Reading(makeDriver, testTopics(), {
      at: { brokers: [`127.0.0.1:${hung.port}`], clientId: 'driver-spec' },
    });
    const [accepted] = (await once(hung.server, 'connection')) as [Socket];
    const closed = once(accepted, 'close');
    await once(accepted, 'data');
    await source.stop();
    await closed;
    // Where a client waits for an answer it says that none has come, and tries again.
    expect(lines.filter(({ message }) => /timed out/i.test(message))).toEqual([]);
    await hung.close();
  });
}

/** Some hundred bytes that repeat themselves, and some that do not. */
function valueOf(number: number): string {
  const digest = createHash('sha512').update(String(number)).digest('base64');
  return JSON.stringify({ number, digest, again: 'the same words in every record '.repeat(number % 9) });
}

/** Enough that a broker is asked while it takes in what it is asked for: some of 8,000 lay beyond the end that it told. */
const together = { producers: 8, rounds: 1_500 };

function consumerReadsWhatBrokersSend(makeDriver: MakeDriver): void {
  // The broker compresses anew with the topic's codec: that is Java's own compressor, as most producers use it.
  it.each(['gzip', 'snappy', 'lz4', 'zstd'])('reads what is compressed: %s', async (codec) => {
    const topics = testTopics();
    const { purchases: topic } = topics;
    const admin = kafka.admin();
    await admin.connect();
    const configEntries = [{ name: 'compression.type', value: codec }];
    await admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }] });
    await admin.disconnect();
    await createTopics(broker, [topic], 1);
    const values = Array.from({ length: 3_000 }, (_, number) => valueOf(number));
    await produce(topic, ...values.slice(0, 2_900));
    const producer = kafka.producer();
    await producer.connect();
    for (const value of values.slice(2_900)) await producer.send({ topic, messages: [{ value }] });
    await producer.disconnect();
    const reading = await new Reading(makeDriver, topics).has(values.length);
    await reading.source.stop();
    expect(reading.values).toEqual(values);
  });

  it('regression: takes records that come while a broker reads, and sets none aside as damaged', async () => {
    const topics = testTopics();
    const { purchases: topic } = topics;
    await createTopics(broker, [topic], 1);
    const reading = new Reading(makeDriver, topics);
    const producers = Array.from({ length: together.producers }, () => kafka.producer());
    await Promise.all(producers.map((producer) => producer.connect()));
    const work = async (producer: (typeof producers)[number]): Promise<void> => {
      for (let round = 0; round < together.rounds; round += 1) {
        await producer.send({ topic, acks: 1, messages: [{ value: 'a receipt' }] });
      }
    };
    await Promise.all(producers.map(work));
    await Promise.all(producers.map((producer) => producer.disconnect()));
    await reading.has(together.producers * together.rounds);
    await reading.source.stop();
    expect(reading.values.filter((value) => value !== 'a receipt')).toEqual([]);
  });

  it('passes over what a transaction has given up, and says which offsets', async () => {
    const topics = testTopics();
    const { purchases: topic } = topics;
    await createTopics(broker, [topic], 1);
    const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1, transactionalId: `${topic}-till` });
    await producer.connect();
    const given = await producer.transaction();
    await given.send({ topic, messages: [{ value: 'given up' }] });
    await given.abort();
    const reading = new Reading(makeDriver, topics);
    await waitUntil(() => reading.skipped.some(({ nextOffset }) => nextOffset === 2), { what: 'the gap', timeoutMs });
    const kept = await producer.transaction();
    await kept.send({ topic, messages: [{ value: 'kept' }] });
    await kept.commit();
    await reading.has(1);
    await reading.source.stop();
    await producer.disconnect();
    expect(reading.values).toEqual(['kept']);
    expect(reading.records[0]?.offset).toBe(2);
  });
}

function producerSends(makeDriver: MakeDriver): void {
  it('sends in order, to several topics at once, and says where they lie', async () => {
    const { purchases, rewards } = testTopics();
    await createTopics(broker, [purchases, rewards], 2);
    const producer = await makeDriver().producer(connection, silent);
    const record = (value: string): { key: string; value: string; partition: number } => ({
      ...{ key: 'k', value, partition: 1 },
    });
    const first = await producer.send([{ topic: purchases, records: [record('one'), record('two')] }]);
    expect(first).toEqual([{ topic: purchases, partition: 1, firstOffset: 0, appendedAt: null }]);
    const second = await producer.send([
      { topic: purchases, records: [record('three')] },
      { topic: rewards, records: [record('other')] },
    ]);
    await producer.close();
    const byTopic = second.toSorted((one, other) => one.firstOffset - other.firstOffset);
    expect(byTopic).toEqual([
      { topic: rewards, partition: 1, firstOffset: 0, appendedAt: null },
      { topic: purchases, partition: 1, firstOffset: 2, appendedAt: null },
    ]);
  });

  it('says that nothing is there, and where', async () => {
    const error: unknown = await makeDriver()
      .producer({ brokers: ['127.0.0.1:1'] }, silent)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'KafkaError', trouble: { kind: 'unreachable', broker: '127.0.0.1:1' } });
    expect(isTooLarge(error)).toBe(false);
  });
}

function producerIsRefused(makeDriver: MakeDriver): void {
  it('says that a record is too large for its topic', async () => {
    const { purchases: topic } = testTopics();
    await createTopics(broker, [topic], 1);
    const producer = await makeDriver().producer(connection, silent);
    const records = [{ key: null, value: Buffer.alloc(2 * 1024 * 1024) }];
    const error: unknown = await producer.send([{ topic, records }]).catch((reason: unknown) => reason);
    await producer.close();
    expect(isTooLarge(error)).toBe(true);
  });
}

function shardsShare(makeDriver: MakeDriver): void {
  let topics: TestTopics;
  const told = new Map<string, readonly UnreadPartition[]>();

  beforeEach(async () => {
    topics = testTopics();
    await createTopics(broker, [topics.purchases], 3);
  });

  const shardOf = (place: string, ...partitions: readonly number[]): Pick<ConsumerSettings, 'shard'> => ({
    shard: {
      claim: { shop: 'coffee', place, epoch: 1, partitions, count: 3 },
      onShared: (unread) => told.set(place, unread),
    },
  });
  /** Whoever leads; the others know of none. */
  const areUnread = async (...wanted: readonly string[]): Promise<void> => {
    const unread = (): string =>
      [...told.values()].flatMap((some) => some.map(({ partition, reason }) => `${partition} ${reason}`)).join();
    await waitUntil(() => unread() === wanted.join(), { what: `unread: ${wanted.join()}`, timeoutMs });
  };
  const reads = async (reading: Reading, ...wanted: readonly number[]): Promise<void> => {
    const isThere = (): boolean => reading.partitions.join() === wanted.join();
    await waitUntil(isThere, { what: `partitions ${wanted.join()}`, timeoutMs });
  };

  it('by what their databases own, in one group; what no database owns, and two, the leader tells, and nobody reads', async () => {
    const first = new Reading(makeDriver, topics, shardOf('1/5', 0));
    await reads(first, 0);
    await areUnread('1 unowned', '2 unowned');
    const second = new Reading(makeDriver, topics, shardOf('2/5', 1, 2));
    await reads(second, 1, 2);
    await reads(first, 0);
    await areUnread();
    const group = await makeDriver().admin(connection, silent, 'once').group(topics.groupId);
    expect([group.isOwn(Buffer.alloc(32), 'coffee'), group.isOwn(Buffer.alloc(32), 'tea')]).toEqual([true, false]);
    expect(group.shards.members.map(({ claim }) => claim?.place).toSorted()).toEqual(['1/5', '2/5']);
    expect(group.shards.topics).toEqual([topics.purchases]);
    const copy = new Reading(makeDriver, topics, shardOf('3/5', 0, 1));
    await reads(second, 2);
    await reads(first);
    await reads(copy);
    await areUnread('0 contested', '1 contested');
    await Promise.all([first, second, copy].map(({ source }) => source.stop()));
  });
}

function adminSays(makeDriver: MakeDriver): void {
  const { purchases: topic, rewards: missing, groupId } = testTopics();
  const admin = makeDriver().admin(connection, silent, 'once');

  beforeAll(() => createTopics(broker, [topic], 2));

  it('what brokers call themselves, and which topics there are', async () => {
    const [host, port] = firstBroker.split(':');
    expect(await admin.brokers()).toContainEqual({ host, port: Number(port) });
    expect(await admin.existing([topic, missing])).toEqual(new Set([topic]));
    expect(await admin.topics([topic, missing])).toEqual(new Map([[topic, { name: topic, partitions: 2 }]]));
    expect([...(await admin.topics((name) => name === topic)).keys()]).toEqual([topic]);
  });

  it('how far a group has come, and who is in it', async () => {
    await produce(topic, 'one', 'two');
    const reading = await new Reading(makeDriver, { purchases: topic, groupId }).has(2);
    // An embedded broker knows no users.
    const may = broker.isReal ? true : null;
    expect(await admin.readRights([topic], groupId)).toEqual({ topics: new Map([[topic, may]]), group: may });
    const mac = Buffer.alloc(32, 1);
    const group = await admin.group(groupId);
    expect(group).toMatchObject({ state: 'Stable', members: 1 });
    // Its installation is `spec`, which belongs to no key.
    expect(group.isOwn(mac, null)).toBe(false);
    await reading.source.stop();
    expect(await admin.committed(groupId, [topic])).toEqual([{ topic, partition: 0, nextOffset: 2 }]);
    expect((await admin.group(groupId)).isOwn(mac, null)).toBeNull();
  });

  it('takes a group away that nobody is in, with its offsets', async () => {
    await produce(topic, 'one', 'two');
    const other = `${groupId}.other`;
    const reading = await new Reading(makeDriver, { purchases: topic, groupId: other }).has(2);
    await expect(admin.deleteGroup(other)).rejects.toMatchObject({ name: 'KafkaError' });
    await reading.source.stop();
    await admin.deleteGroup(other);
    expect(await admin.group(other)).toMatchObject({ state: 'Dead', members: 0 });
    expect(await admin.committed(other, [topic])).toEqual([]);
  });
}

function adminLooksBehindTransactions(makeDriver: MakeDriver): void {
  const { purchases: topic } = testTopics();
  const admin = makeDriver().admin(connection, silent, 'once');

  beforeAll(() => createTopics(broker, [topic], 2));

  it('regression: a transaction that stays open hides no lag, and is named with its partition, producer and first record', async () => {
    const [plain, hanging] = [
      kafka.producer(),
      kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        transactionalId: `${topic}-till`,
        retry: { retries: 5 },
      }),
    ];
    await Promise.all([plain.connect(), hanging.connect()]);
    const transaction = await hanging.transaction();
    const places = [0, 1].map((partition) => ({ topic, partition }));
    try {
      await plain.send({ topic, messages: [{ partition: 1, value: 'a' }] });
      await transaction.send({ topic, messages: [{ partition: 1, value: 'b' }] });
      await plain.send({ topic, messages: ['c', 'd', 'e'].map((value) => ({ partition: 1, value })) });
      const ends = (await admin.ends([topic])).get(topic);
      expect(ends?.toSorted((one, two) => one.partition - two.partition)).toEqual([
        { partition: 0, low: 0, high: 0, stable: 0 },
        { partition: 1, low: 0, high: 5, stable: 1 },
      ]);
      const named = { topic, partition: 1, startOffset: 1, lastAt: expect.any(Number) as number };
      const open = await admin.openTransactions(places);
      expect(open).toEqual([{ ...named, producerId: expect.stringMatching(/^\d+$/) as string }]);
    } finally {
      await transaction.abort();
      await Promise.all([plain.disconnect(), hanging.disconnect()]);
    }
    // The coordinator writes the end of a transaction after it has promised it.
    const ended = async (): Promise<boolean> => (await admin.openTransactions(places)).length === 0;
    await waitUntil(ended, { what: 'the end of the transaction', timeoutMs: 30_000 });
  });
}

function connectsOrSaysWhyNot(makeDriver: MakeDriver): void {
  let fake: FakeBroker;

  beforeEach(async () => {
    fake = await new FakeBroker().listen();
  });

  afterEach(() => fake.close());

  const troubleAt = async (address: string, more: Partial<KafkaConnection> = {}): Promise<string | null> => {
    const found = await makeDriver().tryBroker({ ...more, brokers: [address] }, silent);
    return found === null ? null : found.kind;
  };

  it('reaches a broker', async () => {
    expect(await troubleAt(broker.brokers)).toBeNull();
  });

  it('tells what is not there from what hangs up and from what is no TLS', async () => {
    const at = `127.0.0.1:${fake.port}`;
    expect(await troubleAt('127.0.0.1:1')).toBe('unreachable');
    expect(await troubleAt('nowhere.invalid:9092')).toBe('unreachable');
    fake.onSocket = (socket) => socket.once('data', () => socket.end());
    expect(await troubleAt(at)).toBe('closed');
    fake.onSocket = (socket) => socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await troubleAt(at, { ssl: true })).toBe('tls');
  });
}

function reachesIpv6(makeDriver: MakeDriver): void {
  const { purchases: topic } = testTopics();
  let proxy: FakeBroker;

  beforeAll(async () => {
    await createTopics(broker, [topic], 2);
    const [host, port] = firstBroker.split(':');
    proxy = new FakeBroker();
    proxy.onSocket = (socket) => {
      const through = connect(Number(port), host);
      socket.pipe(through).pipe(socket);
      for (const end of [socket, through]) {
        end.on('error', () => undefined).on('close', () => (socket.destroy(), through.destroy()));
      }
    };
    await proxy.listen('::1');
  });

  afterAll(() => proxy.close());

  it('regression: is reached, as the environment names it', async () => {
    const brokers = [`[::1]:${proxy.port}`];
    const found = await makeDriver()
      .admin({ ...connection, brokers }, silent, 'once')
      .topics([topic]);
    expect(found.get(topic)).toMatchObject({ name: topic, partitions: 2 });
  });
}

/**
 * What the port promises, on a real Kafka: one suite for every driver. What only one driver has (how it mends its client, at
 * which pace it fetches) is beside that driver.
 */
export function describeDriver(name: string, makeDriver: MakeDriver): void {
  describe(`a consumer by ${name}`, () => {
    consumerGives(makeDriver);
    consumerStops(makeDriver);
  });
  describeWithRealKafka(broker, `a consumer by ${name}, of a real broker`, () => {
    consumerReadsWhatBrokersSend(makeDriver);
  });
  describe(`a producer by ${name}`, () => {
    producerSends(makeDriver);
  });
  describeWithRealKafka(broker, `a producer by ${name}, to a real broker`, () => {
    producerIsRefused(makeDriver);
  });
  describe(`shards by ${name} share the partitions`, () => {
    shardsShare(makeDriver);
  });

  describe(`what ${name} reads of brokers`, () => {
    adminSays(makeDriver);
  });
  describeWithRealKafka(broker, `what ${name} reads of a real broker`, () => {
    adminLooksBehindTransactions(makeDriver);
  });
  describe(`a connection by ${name}`, () => {
    connectsOrSaysWhyNot(makeDriver);
  });
  describe(`a broker at an IPv6 address, by ${name}`, () => {
    reachesIpv6(makeDriver);
  });
}
