import type { Message } from 'kafkajs';
import kafkajs from 'kafkajs';

import { startEmbeddedBroker } from '#embedded';
import type { ResubmitBatchResult } from '#intents';
import { contextOf, MemberKeys, QuarantinedBatches } from '#intents';
import { SystemRandom, unseal } from '#platform';
import type { TestTopics } from '#test-support';
import {
  compressedSpaces,
  createTopics,
  describeWithRealKafka,
  kafkaClient,
  sendCompressed,
  testBroker,
  testDatabase,
  testTopics,
} from '#test-support';

import { recordRouter } from './loop/prepare-record.js';
import { decompress, countLeaders, withAdmin, batchBytes, TopicReader } from '#kafka/testing';
import { batchUnpacker } from './unpack-batch.js';
import { purchase, testPrograms } from './testing/events.js';
import { openDatabase } from './testing/ingest-fixture.js';
import { IngestHarness } from './testing/ingest-harness.js';
import { until } from './testing/fakes.js';

/** Tens of megabytes are made, sent and taken apart, beside whatever else this machine tests. */
jest.setTimeout(120_000);

const broker = await testBroker();
const kafka = kafkaClient(broker);
const mebibyte = 1024 * 1024;
const decompressedBytesMax = 2 * mebibyte;
const bombBytes = 5 * mebibyte;
const headerBytes = 61;
const { GZIP: gzip } = kafkajs.CompressionTypes;

interface Row {
  readonly reason: string;
  readonly first: number;
  readonly last: number | null;
  readonly bytes: number;
  readonly sealed: Buffer;
  readonly quarantineId: number;
  readonly topic: string;
  readonly partition: number;
}

const rowsStatement = `SELECT reason, kafka_offset::int AS first, last_offset::int AS last, value_bytes AS bytes,
  sealed_value AS sealed, quarantine_id::int AS "quarantineId", topic, partition FROM quarantine ORDER BY quarantine_id`;

function openedValue(harness: IngestHarness, row: Row | undefined): Buffer {
  if (row === undefined) throw new Error('nothing was set aside');
  const context = contextOf({ ...row, column: 'quarantine.sealed_value', lastOffset: row.last });
  return unseal({ key: harness.keys.quarantine, sealed: row.sealed, context });
}

async function openHarness(
  brokers: string,
): Promise<{ harness: IngestHarness; topics: TestTopics; close: () => Promise<void> }> {
  const database = await testDatabase();
  const topics = testTopics();
  const options = { kafka: kafkaClient({ brokers }), brokers, databaseUrl: database.url, topics };
  const harness = await IngestHarness.open({ ...options, groupId: topics.groupId });
  const close = async (): Promise<void> => {
    await harness.close();
    await database.dispose();
  };
  return { harness, topics, close };
}

async function sendTogether(topic: string, ...messages: Message[]): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, messages, compression: gzip });
  await producer.disconnect();
}

describeWithRealKafka(broker, 'batches that grow beyond the limit', () => {
  // The broker compresses anew with the topic's codec: that is Java's own compressor, as most producers use it.
  it.each(['gzip', 'snappy', 'lz4', 'zstd'] as const)('are set aside between their neighbours: %s', async (codec) => {
    const { harness, topics, close } = await openHarness(broker.brokers);
    const configEntries = [{ name: 'compression.type', value: codec }];
    const topic = topics.purchases;
    await withAdmin(kafka, (admin) => admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }] }));
    await createTopics(broker, topics.all, 1);
    const payload = await compressedSpaces('gzip', bombBytes);
    const letters = await TopicReader.open(kafka, topics.deadLetter);
    // All of it is there before anything is fetched: one fetch has bombs beside each other and between good batches.
    await sendTogether(topic, purchase('1', 'm_1'), purchase('2', 'm_2'));
    await sendCompressed(kafka, { topic, codec: 'gzip', payload });
    await sendCompressed(kafka, { topic, codec: 'gzip', payload });
    await sendTogether(topic, purchase('3', 'm_1'));
    const mixed = { value: Buffer.alloc(bombBytes, ' ') };
    await sendTogether(topic, purchase('never', 'm_1'), mixed, purchase('neither', 'm_1'));
    await sendTogether(topic, purchase('4', 'm_2'));
    await harness.start({ decompressedBytesMax, deadLetterTopic: topics.deadLetter });
    await harness.hasCounted('recorded', 4);
    expect((await harness.purchaseIds()).sort()).toEqual(['p-1', 'p-2', 'p-3', 'p-4']);
    const rows = await harness.rows<Row>(rowsStatement);
    expect(rows.map(({ reason, first, last }) => ({ reason, first, last }))).toEqual([
      { reason: 'oversized', first: 2, last: 2 },
      { reason: 'oversized', first: 3, last: 3 },
      { reason: 'oversized', first: 5, last: 7 },
    ]);
    expect(harness.counted.counts.get('quarantine:oversized')).toBe(3);
    const bomb = openedValue(harness, rows[0]);
    expect(bomb).toHaveLength(rows[0]?.bytes ?? 0);
    const spaces = await decompress(codec, bomb.subarray(headerBytes), 2 * bombBytes, (payload) => payload);
    expect(spaces.subarray(20, bombBytes).equals(Buffer.alloc(bombBytes - 20, ' '))).toBe(true);
    const [offset] = await harness.rows<{ next: number }>(
      'SELECT next_offset::int AS next FROM kafka_offset WHERE topic = $1',
      topic,
    );
    expect(offset?.next).toBe(9);
    await until(() => letters.messages.length >= 3);
    await letters.close();
    expect(letters.messages.map(({ headers }) => [headers['x-reason'], headers['x-original-offset']])).toEqual(
      ['2', '3', '5'].map((first) => ['oversized', first]),
    );
    await close();
  });
});

describe('what is large but within the limit', () => {
  it('is taken in parts, and none of it is set aside', async () => {
    const { harness, topics, close } = await openHarness(broker.brokers);
    await createTopics(broker, topics.all, 1);
    const campaign = 'the same words over and over '.repeat(1_000);
    for (let batch = 0; batch < 6; batch += 1) {
      const ids = Array.from({ length: 160 }, (_, at) => `${batch}-${at}`);
      const large = ids.map((id) =>
        purchase(id, `m_${id}`, { attributes: { campaign: campaign.slice(0, 250) }, note: campaign }),
      );
      await sendTogether(topics.purchases, ...large);
    }
    await harness.start({ decompressedBytesMax: 8 * mebibyte });
    await harness.hasCounted('recorded', 960, 60_000);
    expect(new Set(await harness.purchaseIds()).size).toBe(960);
    expect(await harness.countOf('quarantine')).toBe(0);
    await close();
  });
});

describe('a partition', () => {
  it('goes on after a restart behind a batch that was set aside, with a higher limit and with a lower one', async () => {
    const { harness, topics, close } = await openHarness(broker.brokers);
    await createTopics(broker, topics.all, 1);
    await harness.send(topics.purchases, purchase('1', 'm_1'));
    await sendTogether(topics.purchases, { value: Buffer.alloc(bombBytes, ' ') }, { value: Buffer.alloc(0) });
    const first = await harness.start({ decompressedBytesMax });
    await harness.hasCounted('quarantined', 1);
    await harness.stop(first);
    const second = await harness.start({ decompressedBytesMax: 64 * mebibyte });
    await harness.send(topics.purchases, purchase('2', 'm_1'));
    await harness.hasCounted('recorded', 2);
    // A batch of several records of which the last one is the last consumed, and which is too large the next time.
    const many = Array.from({ length: 40 }, (_, at) => purchase(`3-${at}`, 'm_1', { note: 'n'.repeat(100_000) }));
    await sendTogether(topics.purchases, ...many);
    await harness.hasCounted('recorded', 42);
    await harness.stop(second);
    await harness.start({ decompressedBytesMax });
    await harness.send(topics.purchases, purchase('4', 'm_1'));
    await harness.hasCounted('recorded', 43);
    expect(await harness.countOf('quarantine')).toBe(1);
    const [row] = await harness.rows<{ incarnations: number }>(
      'SELECT count(DISTINCT incarnation)::int AS incarnations FROM kafka_offset',
    );
    expect(row?.incarnations).toBe(1);
    await close();
  });

  // A real broker looks into what it is sent; what lies on its disk may be damaged all the same.
  it('goes on behind batches that cannot be decompressed', async () => {
    const embedded = await startEmbeddedBroker();
    const { harness, topics, close } = await openHarness(embedded.brokers);
    const theirs = kafkaClient({ brokers: embedded.brokers });
    await createTopics({ ...broker, brokers: embedded.brokers }, topics.all, 1);
    const whole = await compressedSpaces('gzip', 100);
    await harness.send(topics.purchases, purchase('1', 'm_1'));
    await sendCompressed(theirs, { topic: topics.purchases, codec: 'gzip', payload: whole.subarray(0, -9) });
    await sendCompressed(theirs, { topic: topics.purchases, codec: 'zstd', payload: Buffer.alloc(50, 7) });
    await sendCompressed(theirs, { topic: topics.purchases, codec: 'lz4', payload: Buffer.alloc(1) });
    await sendCompressed(theirs, { topic: topics.purchases, codec: 'snappy', payload: Buffer.alloc(9, 255) });
    await harness.send(topics.purchases, purchase('2', 'm_1'));
    await harness.start({ decompressedBytesMax });
    await harness.hasCounted('recorded', 2);
    const rows = await harness.rows<Row>(rowsStatement);
    expect(rows.map(({ reason, first, last }) => ({ reason, first, last }))).toEqual(
      [1, 2, 3, 4].map((offset) => ({ reason: 'unreadable', first: offset, last: offset })),
    );
    const kept = openedValue(harness, rows[0]).subarray(headerBytes);
    expect(kept.equals(whole.subarray(0, -9))).toBe(true);
    await close();
    await embedded.stop();
  });
});

describe('a batch that was set aside as too large', () => {
  it('is taken in from its stored bytes once more is allowed: every record in its order, and none twice', async () => {
    const { harness, topics, close } = await openHarness(broker.brokers);
    await createTopics(broker, topics.all, 1);
    const { database, source } = await openDatabase(harness.options.databaseUrl);
    const count = 1_200;
    const ids = Array.from({ length: count }, (_, at) => String(at));
    const note = 'the same words over and over '.repeat(100);
    const sent = ids.map((id) => purchase(id, `m_${Number(id) % 7}`, { note }));
    const unusable = { key: 'm_1', value: 'no event' };
    await sendTogether(topics.purchases, ...sent.slice(0, 700), unusable, ...sent.slice(700));
    await harness.start({ decompressedBytesMax });
    await harness.hasCounted('quarantined', 1);
    // Its producer has sent some of them again.
    await harness.send(topics.purchases, ...sent.slice(40, 50));
    await harness.hasCounted('recorded', 10);
    const [row] = await harness.rows<{ id: number }>('SELECT quarantine_id::int AS id FROM quarantine');
    const random = new SystemRandom();
    const { keyring, mac, quarantine } = harness.keys;
    const keys = { members: new MemberKeys(keyring, random), mac, quarantine, random };
    const audit = { at: Date.now(), actor: 'ada', address: null, reason: 'the limit is higher' };
    const request = { quarantineId: row?.id ?? 0, correction: null, audit, permit: () => [] };
    const resubmit = (batchBytesMax: number): Promise<ResubmitBatchResult> =>
      new QuarantinedBatches(database, keys).resubmit(request, {
        ...{ route: recordRouter(testPrograms, null), unpack: batchUnpacker(batchBytesMax) },
        ...{ hasDeadLetters: false, isTimeUp: () => false },
      });
    expect(await resubmit(decompressedBytesMax)).toMatchObject({ kind: 'refused', reason: 'oversized' });
    expect(await harness.countOf('intent')).toBe(10);
    const counts = { recorded: count - 10, duplicate: 10, ignored: 0, setAside: 1 };
    expect(await resubmit(64 * mebibyte)).toEqual({ kind: 'done', result: 'recorded', counts });
    expect(await resubmit(64 * mebibyte)).toEqual({ kind: 'settled' });
    const ofMember = await harness.rows<{ offset: number }>(
      `SELECT kafka_offset::int AS "offset" FROM intent i JOIN member m ON m.lane_id = i.lane_id
       WHERE member_id = 'm_6' AND kafka_offset < $1 ORDER BY seq`,
      count,
    );
    const offsets = ofMember.map(({ offset }) => offset);
    expect(offsets).toEqual(offsets.toSorted((one, other) => one - other));
    expect(new Set(await harness.purchaseIds()).size).toBe(count);
    const rows = await harness.rows(
      'SELECT kafka_offset::int AS "offset", state, reason FROM quarantine ORDER BY quarantine_id',
    );
    expect(rows.slice(1)).toEqual([{ offset: 700, state: 'open', reason: 'unreadable' }]);
    await source.destroy();
    await close();
  });

  it('is refused while it is damaged', async () => {
    const whole = batchBytes({ baseOffset: 3, codec: 'gzip', records: [{ offsetDelta: 0, value: Buffer.from('v') }] });
    whole.writeUInt8(whole.readUInt8(whole.length - 9) ^ 1, whole.length - 9);
    const read: unknown[] = [];
    for await (const piece of batchUnpacker(mebibyte)({ bytes: whole, from: 3, to: 3 })) read.push(piece);
    expect(read).toMatchObject([[{ original: { offset: 3 }, refused: { reason: 'unreadable' } }]]);
  });
});

describe('three brokers', () => {
  it('each have their share of what is unpacked at a time, and nothing of theirs is lost', async () => {
    const cluster = await startEmbeddedBroker({ nodes: 3 });
    const { harness, topics, close } = await openHarness(cluster.brokers);
    const theirs = kafkaClient({ brokers: cluster.brokers });
    await createTopics({ ...broker, brokers: cluster.brokers }, topics.all, 6);
    expect(await countLeaders(theirs, topics.all)).toBe(3);
    const payload = await compressedSpaces('zstd', bombBytes);
    for (let partition = 0; partition < 6; partition += 1) {
      const ids = Array.from({ length: 20 }, (_, at) => `${partition}-${at}`);
      await harness.send(topics.purchases, ...ids.map((id) => ({ ...purchase(id, `m_${id}`), partition })));
      await sendCompressed(theirs, { topic: topics.purchases, partition, codec: 'zstd', payload });
    }
    await harness.start({ decompressedBytesMax });
    await harness.hasCounted('recorded', 120);
    await harness.hasCounted('quarantine:oversized', 6);
    expect(new Set(await harness.purchaseIds()).size).toBe(120);
    await close();
    await cluster.stop();
  });
});
