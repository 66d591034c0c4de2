import type { Logger } from '#platform';

import type { KafkaConnection } from '../source/kafka/kafka-connection.js';
import { look } from './inspection-client.js';
import type { KafkaTrouble } from './kafka-trouble.js';
import { kafkaTrouble } from './kafka-trouble.js';

/** Connects to one broker and logs in. @returns null when that works */
export async function tryBroker(
  connection: KafkaConnection & { readonly brokers: readonly [string] },
  logger: Logger,
): Promise<KafkaTrouble | null> {
  try {
    // A connection alone proves nothing: where a login is wanted, the broker says so with the first request.
    await look(connection, logger, (admin) => admin.describeCluster());
    return null;
  } catch (error) {
    return kafkaTrouble(error);
  }
}
