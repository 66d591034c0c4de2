import type { EmbeddedBroker } from '#embedded';
import { startEmbeddedBroker, waitUntil } from '#embedded';
import { createTopics, queryOnce, testTopics } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { sendEveryCodec, smallContainerOptions } from './large-batches.js';
import { LifeWatch } from './life-watch.js';

const brokers = 3;
const partitions = brokers;

describe('bombs of every codec from three brokers', () => {
  const topics = testTopics();
  let harness: Harness;
  let cluster: EmbeddedBroker;
  let sent = { purchases: 0, bombs: 0 };

  beforeAll(async () => {
    [harness, cluster] = await Promise.all([openHarness(), startEmbeddedBroker({ nodes: brokers })]);
    const { brokers: addresses } = cluster;
    await createTopics({ ...harness.broker, brokers: addresses }, topics.all, partitions);
    // All of it before anything is fetched.
    sent = await sendEveryCodec(cluster, topics.purchases, partitions);
  });

  afterAll(async () => {
    await harness.close();
    await cluster.stop();
  });

  // `npm run bench -- --only container` measures that 512 MiB are enough.
  it('are set aside with the options for a container of 512 MiB, and everything between them is taken in', async () => {
    const daemon = await harness.startDaemon({
      ...topics.environment,
      KAFKA_BROKERS: cluster.brokers,
      KAFKA_TOPIC_OUTCOMES: 'none',
      NODE_OPTIONS: smallContainerOptions,
    });
    const watch = new LifeWatch(daemon);
    const count = async (table: string): Promise<number> =>
      (await queryOnce<{ count: number }>(harness.database.url, `SELECT count(*)::int AS count FROM ${table}`))[0]
        ?.count ?? -1;
    const isOver = async (): Promise<boolean> => {
      const [recorded, setAside] = [await count('intent'), await count('quarantine')];
      return recorded === sent.purchases && setAside === sent.bombs;
    };
    await waitUntil(isOver, { what: 'all of it to be taken in or set aside', timeoutMs: 240_000, intervalMs: 250 });
    expect(await watch.end()).toEqual([]);
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
  });
});
