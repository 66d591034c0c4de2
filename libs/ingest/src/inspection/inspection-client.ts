import kafkajs from 'kafkajs';
import type { Kafka } from 'kafkajs';

import type { Logger } from '#platform';

import type { KafkaConnection } from '../source/kafka/kafka-connection.js';
import { kafkaLogCreator } from '../source/kafka/kafka-logger.js';

/** Somebody waits for the answer: one try, and soon. */
const connectTimeoutMs = 4_000;
const requestTimeoutMs = 3_000;

/** A client that looks once instead of trying again and again. */
export function inspectionClient(connection: KafkaConnection, logger: Logger): Kafka {
  return new kafkajs.Kafka({
    ...connection,
    connectionTimeout: connectTimeoutMs,
    authenticationTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    retry: { retries: 0 },
    logLevel: kafkajs.logLevel.NOTHING,
    logCreator: kafkaLogCreator(logger),
  });
}
