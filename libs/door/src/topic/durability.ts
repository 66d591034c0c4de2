import type { Admin } from '#kafka';

/** `too-few`: one replica alone may acknowledge. `alone`: the cluster has one broker, as in development. */
export type Durability = 'kept' | 'too-few' | 'alone' | 'unknown';

export const insyncReplicasMin = 2;

/** What is said of a topic whose records may be acknowledged by one replica. */
export const tooFewRemedy = (topic: string): string =>
  `kafka-configs.sh --bootstrap-server HOST:PORT --alter --entity-type topics --entity-name ${topic} --add-config min.insync.replicas=${insyncReplicasMin}`;

/** @param minInsyncReplicas null: not told */
export function judgeDurability(brokers: number, minInsyncReplicas: number | null): Durability {
  if (brokers === 1) return 'alone';
  if (minInsyncReplicas === null) return 'unknown';
  return minInsyncReplicas >= insyncReplicasMin ? 'kept' : 'too-few';
}

/**
 * Whether what a topic acknowledges outlives a broker.
 * @throws {KafkaError}
 */
export async function durabilityOf(
  admin: Pick<Admin, 'brokers' | 'topicSettings'>,
  topic: string,
): Promise<Durability> {
  const brokers = await admin.brokers();
  if (brokers.length === 1) return 'alone';
  const [settings] = await admin.topicSettings([topic]);
  return judgeDurability(brokers.length, settings?.minInsyncReplicas ?? null);
}
