import type { Environment } from '#contracts';
import { SystemClock, SystemRandom, startEmbeddedBroker, waitUntil } from '#platform';
import type { EmbeddedBroker } from '#platform';
import { kafkaClient } from '#test-support';

import { DaemonMetrics } from '../metrics/daemon-metrics.js';
import { openLagWatch } from './lag-watch.js';
import type { Storage } from './storage.js';

const topic = 'purchases';
const ours = { topic, partition: 1, standsAt: 2 };

describe('what is behind in Kafka', () => {
  let broker: EmbeddedBroker;

  beforeAll(async () => {
    broker = await startEmbeddedBroker({ topics: [topic] });
  });

  afterAll(() => broker.stop());

  it('is told for our partitions, also where no batch comes in', async () => {
    const producer = kafkaClient(broker).producer();
    await producer.connect();
    const messages = Array.from({ length: 5 }, () => ({ value: 'x', partition: 1 }));
    await producer.send({ topic, messages: [...messages, { value: 'x', partition: 0 }] });
    await producer.disconnect();
    const metrics = new DaemonMetrics([topic]);
    metrics.ingest.consumerLag({ topic, partition: 0 }, 9);
    const kafka = { brokers: [broker.brokers], clientId: 'spec', ssl: null, sasl: null } as unknown;
    const storage = { clock: new SystemClock(), random: new SystemRandom() } as unknown as Storage;
    const quiet = (): void => undefined;
    const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const environment = { kafka: kafka as Environment['kafka'] };
    const watch = openLagWatch(environment, { standings: () => [ours] }, { storage, metrics, logger });
    watch.start();
    const told = await waitUntil(
      async () => {
        const lines = (await metrics.registry.metrics())
          .split('\n')
          .filter((line) => line.startsWith('loyaltyd_consumer_lag'));
        return lines.some((line) => line.includes('partition="1"')) ? lines : undefined;
      },
      { what: 'the lag to be told', timeoutMs: 10_000 },
    );
    await watch.stop();
    expect(told).toEqual(['loyaltyd_consumer_lag{topic="purchases",partition="1"} 3']);
  });
});
