import { createHash } from 'node:crypto';

import { createTopics, describeWithRealKafka, kafkaClient, testBroker, testTopics } from '#test-support';

import { TopicReader } from '../../testing/kafka.js';
import { until } from '../../testing/recording.js';
import { withAdmin } from './kafka-facts.js';
import { limitDecompression } from './limit-decompression.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);

/** Some hundred bytes that repeat themselves, and some that do not. */
function valueOf(number: number): string {
  const digest = createHash('sha512').update(String(number)).digest('base64');
  return JSON.stringify({ number, digest, again: 'the same words in every record '.repeat(number % 9) });
}

describeWithRealKafka(broker, 'a topic that the broker compresses', () => {
  // The broker compresses anew with the topic's codec: that is Java's own compressor, as most producers use it.
  it.each(['gzip', 'snappy', 'lz4', 'zstd'])('is read: %s', async (codec) => {
    limitDecompression({ batchBytesMax: 64 * 1024 * 1024, brokers: 1 });
    const { purchases: topic } = testTopics();
    const configEntries = [{ name: 'compression.type', value: codec }];
    await withAdmin(kafka, (admin) => admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }] }));
    await createTopics(broker, [topic], 1);
    const values = Array.from({ length: 3_000 }, (_, number) => valueOf(number));
    const producer = kafka.producer();
    await producer.connect();
    await producer.send({ topic, messages: values.slice(0, 2_900).map((value) => ({ value })) });
    for (const value of values.slice(2_900)) await producer.send({ topic, messages: [{ value }] });
    await producer.disconnect();
    const reader = await TopicReader.open(kafka, topic);
    await until(() => reader.messages.length >= values.length);
    await reader.close();
    expect(reader.messages.map(({ value }) => value)).toEqual(values);
  });
});

/** Enough that a broker is asked while it takes in what it is asked for: some of 8,000 lay beyond the end that it told. */
const together = { producers: 8, rounds: 1_500 };

describeWithRealKafka(broker, 'regression: records that come while a broker reads', () => {
  it('are taken, none is set aside as damaged', async () => {
    limitDecompression({ batchBytesMax: 64 * 1024 * 1024, brokers: 1 });
    const { purchases: topic } = testTopics();
    await createTopics(broker, [topic], 1);
    const reader = await TopicReader.open(kafka, topic);
    const producers = Array.from({ length: together.producers }, () => kafka.producer());
    await Promise.all(producers.map((producer) => producer.connect()));
    const produce = async (producer: (typeof producers)[number]): Promise<void> => {
      for (let round = 0; round < together.rounds; round += 1) {
        await producer.send({ topic, acks: 1, messages: [{ value: 'a receipt' }] });
      }
    };
    await Promise.all(producers.map(produce));
    await Promise.all(producers.map((producer) => producer.disconnect()));
    await until(() => reader.messages.length >= together.producers * together.rounds);
    await reader.close();
    expect(reader.messages.filter(({ value }) => value !== 'a receipt')).toEqual([]);
  });
});
