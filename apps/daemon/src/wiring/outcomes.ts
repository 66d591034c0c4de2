import { createOutcomes } from '#ingest';
import type { BackgroundLoop, Logger } from '#platform';

import type { LiveEnvironment } from '../environment/live-environment.js';
import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import { kafkaConnection } from './kafka-connection.js';
import type { Storage } from './storage.js';

/** The publisher of the outcomes topic, or null in a process without the delivery role. */
export function openOutcomes(
  live: Pick<LiveEnvironment, 'current'>,
  { database, keys, clock, random }: Storage,
  tools: { readonly logger: Logger; readonly metrics: DaemonMetrics },
): BackgroundLoop | null {
  const { kafka, roles } = live.current;
  if (!roles.includes('delivery')) return null;
  return createOutcomes({
    connection: () => {
      if (kafka === null) throw new Error('Kafka must be configured');
      return kafkaConnection(kafka, () => live.current.kafka ?? kafka);
    },
    topic: kafka?.topics.outcomes ?? null,
    database,
    keys: keys.members,
    clock,
    random,
    logger: tools.logger,
    onPublished: (type, count) => {
      tools.metrics.outcomesPublished(type, count);
    },
  });
}
