import type { Logger } from '#platform';

import type { KafkaConnection } from '../source/kafka/kafka-connection.js';
import { look } from './inspection-client.js';

/** Up to where a consumer group has told Kafka that it consumed a partition. */
export interface CommittedOffset {
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: number;
}

/**
 * What Kafka keeps for the group; nothing of partitions that it never committed. The topics must exist.
 * @throws KafkaJS' errors: see `kafkaTrouble`
 */
export async function inspectCommitted(
  connection: KafkaConnection,
  { groupId, topics }: { readonly groupId: string; readonly topics: readonly string[] },
  logger: Logger,
): Promise<readonly CommittedOffset[]> {
  if (topics.length === 0) return [];
  const found = await look(connection, logger, async (admin) => {
    // KafkaJS finds the coordinator only among the brokers that it has heard of.
    await admin.describeCluster();
    return admin.fetchOffsets({ groupId, topics: [...topics] });
  });
  return found.flatMap(({ topic, partitions }) =>
    partitions
      .map(({ partition, offset }) => ({ topic, partition, nextOffset: Number(offset) }))
      .filter(({ nextOffset }) => nextOffset >= 0),
  );
}
