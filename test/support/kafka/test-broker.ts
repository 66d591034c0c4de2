import { randomBytes } from 'node:crypto';

import kafkajs from 'kafkajs';
import type { Admin, Kafka, KafkaConfig } from 'kafkajs';
import { logLevel } from 'kafkajs';

import { waitUntil } from '#embedded';
import { KafkaClient } from '#kafka/kafkajs';

import type { TestBroker } from '../infrastructure/part.js';
import { requestPart } from '../infrastructure/request-part.js';

/** The run's broker, the same for all test files: keep apart by topic and by group. Starts it if nobody did. */
export const testBroker = (): Promise<TestBroker> => requestPart('broker');

/** A kafkajs client that is silent but for errors. */
export const kafkaClient = ({ brokers }: Pick<TestBroker, 'brokers'>, more: Partial<KafkaConfig> = {}): Kafka =>
  new KafkaClient({ clientId: 'loyaltyd-test', brokers: brokers.split(','), ...more, logLevel: logLevel.NOTHING });

/**
 * A `describe` whose tests mean nothing on the embedded broker (rebalances, retention, topics re-created). Without a
 * real Kafka they are reported as skipped, each with the reason:
 * `describeWithRealKafka(await testBroker(), 'a rebalance', () => { ... })`.
 */
export const describeWithRealKafka = (broker: TestBroker, title: string, body: () => void): void => {
  if (broker.isReal) describe(title, body);
  else describe.skip(`${title} [skipped, ${broker.origin}]`, body);
};

/** The daemon's topics (contracts.md section 1) under names that no other test uses. */
export interface TestTopics {
  readonly members: string;
  readonly purchases: string;
  readonly rewards: string;
  readonly outcomes: string;
  readonly audit: string;
  readonly deadLetter: string;
  /** A consumer group of its own. */
  readonly groupId: string;
  readonly all: readonly string[];
  /** `KAFKA_TOPIC_*` and `KAFKA_GROUP_ID` for a daemon, and that a container engine's machine may be another one. */
  readonly environment: Readonly<Record<string, string>>;
}

const partitionsDefault = 4;
const leadersTimeoutMs = 30_000;

export const testTopics = (): TestTopics => {
  const run = randomBytes(4).toString('hex');
  const names = {
    members: `loyalty.members.${run}`,
    purchases: `loyalty.purchases.${run}`,
    rewards: `loyalty.rewards.${run}`,
    outcomes: `loyalty.outcomes.${run}`,
    audit: `loyalty.audit.${run}`,
    deadLetter: `loyalty.dead-letter.${run}`,
  };
  const groupId = `loyaltyd.${run}`;
  const environment = {
    KAFKA_TOPIC_MEMBERS: names.members,
    KAFKA_TOPIC_PURCHASES: names.purchases,
    KAFKA_TOPIC_REWARDS: names.rewards,
    KAFKA_TOPIC_OUTCOMES: names.outcomes,
    KAFKA_TOPIC_AUDIT: names.audit,
    KAFKA_TOPIC_DEAD_LETTER: names.deadLetter,
    KAFKA_GROUP_ID: groupId,
    ALLOW_CLEARTEXT: 'postgres,kafka',
  };
  return { ...names, groupId, all: Object.values(names), environment };
};

/**
 * KafkaJS' own wait gives up when a loaded broker does not know of its new topics at once. Offsets are told by a leader
 * that is at work: a producer that is refused by one partition of several sends all of them again.
 */
const areReady = async (admin: Admin, topics: readonly string[], numPartitions: number): Promise<boolean> => {
  try {
    const found = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)));
    return found.every((partitions) => partitions.length === numPartitions);
  } catch (error) {
    if (error instanceof kafkajs.KafkaJSError) return false;
    throw error;
  }
};

/** Creates topics and waits until they have their leaders. */
export const createTopics = async (
  broker: TestBroker,
  topics: readonly string[],
  numPartitions = partitionsDefault,
): Promise<void> => {
  const admin = kafkaClient(broker).admin();
  await admin.connect();
  try {
    await admin.createTopics({ topics: topics.map((topic) => ({ topic, numPartitions })), waitForLeaders: false });
    await waitUntil(() => areReady(admin, topics, numPartitions), {
      what: `leaders of ${topics.join(', ')}`,
      timeoutMs: leadersTimeoutMs,
    });
  } finally {
    await admin.disconnect();
  }
};

export const deleteTopics = async (broker: TestBroker, topics: readonly string[]): Promise<void> => {
  const admin = kafkaClient(broker).admin();
  await admin.connect();
  try {
    await admin.deleteTopics({ topics: [...topics] });
  } finally {
    await admin.disconnect();
  }
};
