import type { Admin } from 'kafkajs';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import type { OpenTransaction, PartitionEnds, TopicPartition } from '../../driver.js';
import { clusterOf } from './kafka-client.js';
import { watermarksOf } from './kafka-facts.js';

/** KafkaJS asks for the last stable offset alone, which says that nothing is behind while a transaction hides it all. */
export async function partitionEnds(admin: Admin, topic: string): Promise<PartitionEnds[]> {
  const stable = new Map((await watermarksOf(admin, topic)).map(({ partition, high }) => [partition, high]));
  const cluster = clusterOf(admin);
  cluster.isolationLevel = 0;
  try {
    const ends = await watermarksOf(admin, topic);
    return ends.map((end) => ({ ...end, stable: Math.min(end.high, stable.get(end.partition) ?? end.high) }));
  } finally {
    cluster.isolationLevel = undefined;
  }
}

/** DescribeProducers, KIP-664: of Kafka 2.8 and later. */
const describeProducersKey = 61;

interface DescribedPartition {
  readonly partition: number;
  readonly producers: readonly Omit<OpenTransaction, keyof TopicPartition>[];
}

function readProducer(decoder: Decoder): DescribedPartition['producers'][number] {
  const producerId = String(decoder.readInt64());
  decoder.readInt32(); // producer epoch
  decoder.readInt32(); // last sequence
  const lastAt = Number(decoder.readInt64());
  decoder.readInt32(); // coordinator epoch
  const startOffset = Number(decoder.readInt64());
  decoder.readTaggedFields();
  return { producerId, startOffset, lastAt };
}

function readPartition(decoder: Decoder): DescribedPartition {
  const partition = decoder.readInt32();
  decoder.readInt16(); // error: then there are no producers
  decoder.readUVarIntString(); // error message
  const producers = decoder.readUVarIntArray(readProducer);
  decoder.readTaggedFields();
  return { partition, producers };
}

/** Version 0; header and body of the answer. */
function readAnswer(bytes: Buffer): readonly DescribedPartition[] {
  const decoder = new Decoder(bytes);
  decoder.readTaggedFields();
  decoder.readInt32(); // throttle time
  const topics = decoder.readUVarIntArray((topic) => {
    topic.readUVarIntString();
    const partitions = topic.readUVarIntArray(readPartition);
    topic.readTaggedFields();
    return partitions;
  });
  return topics.flat();
}

function describeProducers(topic: string, partitions: readonly number[]): object {
  const noTags = 0;
  const asked = new Encoder()
    .writeUVarIntString(topic)
    .writeUVarIntArray(partitions.map((partition) => new Encoder().writeInt32(partition)))
    .writeUVarInt(noTags);
  // The header of a request of this kind ends with tags, which KafkaJS does not write.
  const encode = (): Promise<Encoder> =>
    Promise.resolve(new Encoder().writeUVarInt(noTags).writeUVarIntArray([asked]).writeUVarInt(noTags));
  return {
    request: { apiKey: describeProducersKey, apiVersion: 0, apiName: 'DescribeProducers', encode },
    response: {
      decode: (bytes: Buffer) => Promise.resolve(readAnswer(bytes)),
      parse: (answer: unknown) => Promise.resolve(answer),
    },
  };
}

/**
 * The open transactions of these partitions of a topic that was asked about before. A broker before 2.8, or one that
 * keeps producers from us, names none.
 */
export async function openTransactionsOf(
  admin: Admin,
  topic: string,
  partitions: readonly number[],
): Promise<readonly OpenTransaction[]> {
  const cluster = clusterOf(admin);
  const found: OpenTransaction[] = [];
  for (const [nodeId, led] of Object.entries(cluster.findLeaderForPartitions(topic, partitions))) {
    const broker = await cluster.findBroker({ nodeId });
    if (broker.versions[describeProducersKey] === undefined) continue;
    const described = await broker.connectionPool.send(describeProducers(topic, led));
    for (const { partition, producers } of described as readonly DescribedPartition[]) {
      const open = producers.filter(({ startOffset }) => startOffset >= 0);
      found.push(...open.map((producer) => ({ topic, partition, ...producer })));
    }
  }
  return found;
}
