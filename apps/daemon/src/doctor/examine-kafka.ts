import type { KafkaEnvironment } from '#contracts';
import type { InstallationKeys } from '#intents';
import type { Logger } from '#platform';

import type { Examination, Step } from './examination.js';
import { skipped } from './finding.js';
import { checkBrokers } from './kafka/check-brokers.js';
import { checkGroup } from './kafka/check-group.js';
import { checkPositions } from './kafka/check-positions.js';
import { checkRestored } from './kafka/check-restored.js';
import { checkRetention } from './kafka/check-retention.js';
import { checkTopics } from './kafka/check-topics.js';
import type { Store } from './postgres/check-schema.js';

export interface KafkaBuilt {
  readonly store: Step<Store>;
  readonly keys: Step<InstallationKeys>;
}

/** Brokers, topics, the consumer group and where we stand in what it consumes. */
export function examineKafka(
  examination: Examination,
  { store, keys }: KafkaBuilt,
  { kafka, logger }: { readonly kafka: KafkaEnvironment | null; readonly logger: Logger },
): void {
  if (kafka === null) {
    examination.tell(skipped('kafka.connection', 'no usable Kafka settings in this process'));
    return;
  }
  const names = kafka.topics;
  const connection = checkBrokers(examination, kafka, logger);
  const topics = checkTopics(examination, connection, { names, logger });
  checkRetention(examination, { connection, topics }, { names, logger });
  checkGroup(examination, { connection, topics, keys }, { kafka, logger });
  checkPositions(examination, { connection, topics, store }, { names, logger });
  checkRestored(examination, { connection, topics, store }, { kafka, logger });
}
