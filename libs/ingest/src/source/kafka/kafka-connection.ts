import kafkajs from 'kafkajs';
import type { Kafka, KafkaConfig } from 'kafkajs';

import type { Logger } from '#platform';
import { kafkaLogCreator } from './kafka-logger.js';

/**
 * How to reach the brokers: KafkaJS' own options, as read from the environment (contracts.md section 3). `socketFactory`
 * lets a drill put something between us and the brokers.
 */
export type KafkaConnection = Pick<KafkaConfig, 'brokers' | 'clientId' | 'ssl' | 'sasl' | 'socketFactory'>;

/** Time for TCP and TLS to a broker. */
const connectTimeoutMs = 5_000;
const requestTimeoutMs = 30_000;
/** Retries inside KafkaJS; beyond them our own loops decide. */
const clientRetriesMax = 5;
const clientRetryMsMin = 100;
const clientRetryMsMax = 3_000;

/** A client with our limits and log. Made anew for each connection, so that renewed secrets are used. */
export function createKafka(connection: KafkaConnection, logger: Logger): Kafka {
  return new kafkajs.Kafka({
    ...connection,
    connectionTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    retry: { retries: clientRetriesMax, initialRetryTime: clientRetryMsMin, maxRetryTime: clientRetryMsMax },
    logLevel: kafkajs.logLevel.INFO,
    logCreator: kafkaLogCreator(logger),
  });
}
