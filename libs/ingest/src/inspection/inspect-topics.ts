import type { ITopicMetadata } from 'kafkajs';

import type { Logger } from '#platform';

import type { KafkaConnection } from '../source/kafka/kafka-connection.js';
import { look } from './inspection-client.js';

/** A topic as the brokers describe it. */
export interface InspectedTopic {
  readonly name: string;
  readonly partitions: number;
  /** Copies of the partition that has the fewest. */
  readonly copies: number;
  /** Partitions that lack a copy at the moment. */
  readonly lackingCopies: number;
}

function toTopic({ name, partitions }: ITopicMetadata): InspectedTopic {
  return {
    name,
    partitions: partitions.length,
    copies: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    lackingCopies: partitions.filter(({ isr, replicas }) => isr.length < replicas.length).length,
  };
}

/**
 * Those of the topics that there are. Asks for all there are, because asking for one by name makes some brokers create it.
 * @throws KafkaJS' errors: see `kafkaTrouble`; also where a partition of any topic has no leader
 */
export async function inspectTopics(
  connection: KafkaConnection,
  names: readonly string[],
  logger: Logger,
): Promise<ReadonlyMap<string, InspectedTopic>> {
  const { topics } = await look(connection, logger, (admin) => admin.fetchTopicMetadata());
  const ours = topics.filter(({ name }) => names.includes(name));
  return new Map(ours.map((topic) => [topic.name, toTopic(topic)]));
}
