import type { Environment } from '#contracts';
import { startEmbeddedBroker, waitUntil, type EmbeddedBroker } from '#embedded';
import { createKafkaDriver } from '#kafka';
import { SystemClock, SystemRandom } from '#platform';
import { kafkaClient } from '#test-support';

import { KafkaAccess } from '../kafka/kafka-access.js';
import { DaemonMetrics } from '../metrics/daemon-metrics.js';
import { ConsumerLag } from './consumer-lag.js';
import { openLagWatch } from './figures.js';

type Live = Parameters<typeof openLagWatch>[0];

const topic = 'purchases';
const ours = { topic, partition: 1, nextOffset: 2 };

describe('what is behind in Kafka', () => {
  let ports: Parameters<typeof openLagWatch>[3];
  const storage = { clock: new SystemClock(), random: new SystemRandom() };
  const quiet = (): void => undefined;
  let broker: EmbeddedBroker;
  let live: { environment: { kafka: NonNullable<Environment['kafka']> } };
  let metrics: DaemonMetrics;
  let lag: ConsumerLag;
  let warn: () => void;
  const logger = { debug: quiet, info: quiet, warn: () => warn(), error: quiet };

  beforeAll(async () => {
    broker = await startEmbeddedBroker({ topics: [topic] });
  });

  afterAll(() => broker.stop());

  beforeEach(() => {
    const kafka = { brokers: [broker.brokers], ssl: null, sasl: null } as unknown;
    live = { environment: { kafka: kafka as NonNullable<Environment['kafka']> } };
    const access = new KafkaAccess(createKafkaDriver(), () => live.environment.kafka, { clock: storage.clock, logger });
    ports = { partitionPositions: () => [ours], access };
    metrics = new DaemonMetrics([topic]);
    lag = new ConsumerLag();
    warn = quiet;
  });

  const toldLag = (): Promise<string[]> =>
    waitUntil(
      async () => {
        const lines = (await metrics.registry.metrics())
          .split('\n')
          .filter((line) => line.startsWith('loyaltyd_consumer_lag'));
        return lines.some((line) => line.includes('partition="1"')) ? lines : undefined;
      },
      { what: 'the lag to be told', timeoutMs: 30_000 },
    );

  it('is told for our partitions, also where no batch comes in', async () => {
    const producer = kafkaClient(broker).producer();
    await producer.connect();
    const messages = Array.from({ length: 5 }, () => ({ value: 'x', partition: 1 }));
    await producer.send({ topic, messages: [...messages, { value: 'x', partition: 0 }] });
    await producer.disconnect();
    metrics.ingest.consumerLag({ topic, partition: 0 }, 9);
    const watch = openLagWatch(live as Live, storage, { metrics, logger, lag }, ports);
    watch.start();
    const told = await toldLag();
    await watch.stop();
    expect(told).toEqual(['loyaltyd_consumer_lag{topic="purchases",partition="1"} 3']);
    // What was there before the first look may be of any age.
    expect(lag.figuresAt(storage.clock.now(), [ours])).toEqual({ purchases: { records: 3, oldestAt: null } });
  });

  it('regression: is asked for with what is in force now, not with what was at the start', async () => {
    live.environment = { kafka: { ...live.environment.kafka, brokers: ['127.0.0.1:1'] } };
    const watch = openLagWatch(live as Live, storage, { metrics, logger, lag }, ports);
    const warned = Promise.withResolvers<null>();
    warn = () => {
      warned.resolve(null);
    };
    watch.start();
    await warned.promise;
    live.environment = { kafka: { ...live.environment.kafka, brokers: [broker.brokers] } };
    expect(await toldLag()).toHaveLength(1);
    await watch.stop();
  });
});
