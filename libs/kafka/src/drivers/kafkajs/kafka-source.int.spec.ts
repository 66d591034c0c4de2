import { SystemClock, SystemRandom } from '#platform';
import { createTopics, kafkaClient, testBroker, testTopics } from '#test-support';

import type { SourceListener } from '../../driver.js';
import { recordingLogger, until } from '../../testing/recording.js';
import { fetchSpacingMs } from './consumer-life.js';
import { KafkaSource } from './kafka-source.js';

const broker = await testBroker();

/** Notes that it has slept to the end, and for how long it was asked to. */
class PacingClock extends SystemClock {
  readonly order: ('batch' | 'slept')[] = [];
  readonly sleptMs: number[] = [];

  override async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    await super.sleep(delayMs, signal);
    this.sleptMs.push(delayMs);
    this.order.push('slept');
  }
}

it('fetches at a measured pace what it is nearly done with, so that what comes meanwhile goes together', async () => {
  const { purchases: topic, groupId } = testTopics();
  await createTopics(broker, [topic], 1);
  const producer = kafkaClient(broker).producer();
  await producer.connect();
  const clock = new PacingClock();
  let count = 0;
  const take: SourceListener['batch'] = async (batch, lease) => {
    clock.order.push('batch');
    count += batch.records.length;
    lease.acknowledge(batch.nextOffset);
  };
  const connection = { brokers: broker.brokers.split(','), clientId: 'loyaltyd-spec' };
  const settings = { connection: () => connection, groupId, installation: 'spec', topics: [topic] };
  const tools = { clock, random: new SystemRandom(), logger: recordingLogger().logger };
  const source = new KafkaSource({ ...settings, decompressedBytesMax: 64 * 1024 * 1024 }, tools);
  source.start({
    assigned: (assigned) => {
      for (const partition of assigned) source.seek(partition, 0);
      for (const partition of assigned) source.resume(partition);
    },
    skipped: () => undefined,
    batch: take,
  });
  const sellOne = async (number: number): Promise<void> => {
    await producer.send({ topic, messages: [{ value: `sale ${number}` }] });
  };
  await sellOne(0);
  await until(() => count === 1, 60_000);
  const tills = Array.from({ length: 8 }, async (_, till) => {
    for (let number = 1; number <= 20; number += 1) await sellOne(till * 20 + number);
  });
  await Promise.all(tills);
  await until(() => count === 161, 60_000);
  await source.stop();
  await producer.disconnect();
  const batches = clock.order.filter((what) => what === 'batch').length;
  expect(batches).toBeGreaterThan(1);
  // After each of them, whatever it took of that time itself.
  expect(clock.order.slice(0, 2 * batches - 1).join()).toBe(Array(batches).fill('batch').join(',slept,'));
  expect(Math.max(...clock.sleptMs)).toBeLessThanOrEqual(fetchSpacingMs);
});
