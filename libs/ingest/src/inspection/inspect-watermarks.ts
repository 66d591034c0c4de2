import type { Logger } from '#platform';

import type { KafkaConnection } from '../source/kafka/kafka-connection.js';
import { watermarksOf } from '../source/kafka/kafka-facts.js';
import type { Watermarks } from '../source/source.js';
import { look } from './inspection-client.js';

/**
 * First and next offset of each partition, by topic. The topics must exist.
 * @throws KafkaJS' errors: see `kafkaTrouble`
 */
export async function inspectWatermarks(
  connection: KafkaConnection,
  names: readonly string[],
  logger: Logger,
): Promise<ReadonlyMap<string, readonly Watermarks[]>> {
  return look(connection, logger, async (admin) => {
    const watermarks = new Map<string, readonly Watermarks[]>();
    // One after the other: KafkaJS' own list of topics is shared by all questions of a connection.
    for (const name of names) watermarks.set(name, await watermarksOf(admin, name));
    return watermarks;
  });
}
