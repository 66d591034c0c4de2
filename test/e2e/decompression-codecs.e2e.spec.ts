import kafkajs from 'kafkajs';

import type { EmbeddedBroker } from '#embedded';
import { startEmbeddedBroker, waitUntil } from '#embedded';
import { compressedSpaces, createTopics, kafkaClient, queryOnce, sendCompressed, testTopics } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { MemoryWatch } from './memory-watch.js';
import { purchased } from './traffic.js';

const mebibyte = 1024 * 1024;
const brokers = 3;
const partitions = brokers;
/** docs/operations/install.md: what the chart makes of 512 MiB. */
const nodeOptions = '--max-old-space-size=384 --max-semi-space-size=32';
const containerMebibytes = 512;

/** What each codec makes of a batch that brokers take: as much as it can, and what is just within the limit of 64 MiB. */
const sizes = {
  gzip: [400, 60],
  zstd: [400, 60],
  lz4: [200, 60],
  // Three bytes for 64: it cannot grow beyond the limit.
  snappy: [20, 20],
} as const;
type Codec = keyof typeof sizes;
const codecs = Object.keys(sizes) as Codec[];
const perSend = 300;

/** Purchases of some 3 KiB, which gzip to a tenth. */
function purchases(partition: number, round: number): { value: string; key: string; partition: number }[] {
  return Array.from({ length: perSend }, (_, at) => {
    const { message } = purchased(`m-${partition}-${at % 50}`, `p-${partition}-${round}-${at}`);
    const event = JSON.parse(String(message.value)) as { readonly data: object };
    const note = `${round} ${at} `.repeat(400);
    return {
      ...message,
      key: String(message.key),
      partition,
      value: JSON.stringify({ ...event, data: { ...event.data, note } }),
    };
  });
}

describe('bombs of every codec from three brokers', () => {
  const topics = testTopics();
  let harness: Harness;
  let cluster: EmbeddedBroker;
  let sent = { purchases: 0, bombs: 0 };

  beforeAll(async () => {
    [harness, cluster] = await Promise.all([openHarness(), startEmbeddedBroker({ nodes: brokers })]);
    const { brokers: addresses } = cluster;
    await createTopics({ ...harness.broker, brokers: addresses }, topics.all, partitions);
    sent = await fill();
  }, 240_000);

  afterAll(async () => {
    await harness.close();
    await cluster.stop();
  }, 60_000);

  /** Into each partition bombs between purchases, all of it before anything is fetched. */
  async function fill(): Promise<typeof sent> {
    const kafka = kafkaClient(cluster);
    const producer = kafka.producer();
    await producer.connect();
    const topic = topics.purchases;
    const compression = kafkajs.CompressionTypes.GZIP;
    const counted = { purchases: 0, bombs: 0 };
    for (const [round, codec] of codecs.entries()) {
      const payloads = await Promise.all(sizes[codec].map((size) => compressedSpaces(codec, size * mebibyte)));
      for (let partition = 0; partition < partitions; partition += 1) {
        const messages = purchases(partition, round);
        await producer.send({ topic, messages, compression });
        counted.purchases += messages.length;
        for (const payload of payloads) await sendCompressed(kafka, { topic, partition, codec, payload });
        counted.bombs += payloads.length;
      }
    }
    await producer.disconnect();
    return counted;
  }

  it('are set aside in a container of 512 MiB, and everything between them is taken in', async () => {
    const daemon = await harness.startDaemon({
      ...topics.environment,
      KAFKA_BROKERS: cluster.brokers,
      KAFKA_TOPIC_OUTCOMES: 'none',
      NODE_OPTIONS: nodeOptions,
    });
    const watch = new MemoryWatch(daemon, 'bombs of every codec, three brokers');
    const count = async (table: string): Promise<number> =>
      (await queryOnce<{ count: number }>(harness.database.url, `SELECT count(*)::int AS count FROM ${table}`))[0]
        ?.count ?? -1;
    const isOver = async (): Promise<boolean> => {
      const [recorded, setAside] = [await count('intent'), await count('quarantine')];
      return recorded === sent.purchases && setAside === sent.bombs;
    };
    await waitUntil(isOver, { what: 'all of it to be taken in or set aside', timeoutMs: 240_000, intervalMs: 250 });
    expect(await watch.end()).toBeLessThan(containerMebibytes);
    expect(watch.refused).toEqual([]);
    const rows = await queryOnce<{ reason: string; codec: string }>(
      harness.database.url,
      `SELECT reason, substring(detail FROM 'gzip|zstd|lz4|record at') AS codec, count(*)::int AS count
       FROM quarantine GROUP BY 1, 2 ORDER BY 2`,
    );
    expect(rows).toEqual(
      ['gzip', 'lz4', 'record at', 'zstd'].map((codec) => {
        return { reason: 'oversized', codec, count: codec === 'record at' ? 5 * partitions : partitions };
      }),
    );
  }, 300_000);
});
