import { Kafka, logLevel, type KafkaConfig } from 'kafkajs';
import type { TestBroker } from '../infrastructure/part.js';
import { requestPart } from '../infrastructure/request-part.js';

/** The run's broker, the same for all test files: keep apart by topic and by group. Starts it if nobody did. */
export const testBroker = (): Promise<TestBroker> => requestPart('broker');

/** A kafkajs client that is silent but for errors. */
export const kafkaClient = ({ brokers }: Pick<TestBroker, 'brokers'>, more: Partial<KafkaConfig> = {}): Kafka =>
  new Kafka({ clientId: 'loyaltyd-test', brokers: brokers.split(','), ...more, logLevel: logLevel.NOTHING });
