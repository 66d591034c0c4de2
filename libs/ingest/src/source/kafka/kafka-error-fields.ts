import kafkajs from 'kafkajs';

import type { LogFields } from '#platform';
import { errorFields } from '#platform';

/**
 * A failure of Kafka as log fields. KafkaJS' own messages speak of brokers, groups and topics; what it only passes on
 * may quote what it failed on.
 */
export function kafkaErrorFields(error: unknown): LogFields {
  const isPassedOn = error instanceof Error && error.cause instanceof Error && !isKafkas(error.cause);
  return isKafkas(error) && !isPassedOn ? { error: error.message } : errorFields(error);
}

function isKafkas(error: unknown): error is Error {
  return error instanceof kafkajs.KafkaJSError;
}
