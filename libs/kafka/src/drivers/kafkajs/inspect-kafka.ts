import kafkajs from 'kafkajs';
import type { Admin, Kafka } from 'kafkajs';
import type { Logger } from '#platform';
import { isOwnProtocol } from './consumer-life.js';
import { installationName, kafkaLogCreator, type KafkaConnection } from './kafka-connection.js';
import { KafkaClient } from './kafka-client.js';
import { withAdmin } from './kafka-facts.js';
import { openTransactionsOf, partitionEnds } from './open-transactions.js';
import type { OpenTransaction, PartitionEnds } from './open-transactions.js';
import type { TopicPartition } from '../../driver.js';
import { kafkaTrouble, type KafkaTrouble } from './kafka-trouble.js';

/** Somebody waits for the answer: one try, and soon. */
const connectTimeoutMs = 4_000;
const requestTimeoutMs = 3_000;

/** A client that looks once instead of trying again and again. */
function inspectionClient(connection: KafkaConnection, logger: Logger): Kafka {
  return new KafkaClient({
    ...connection,
    connectionTimeout: connectTimeoutMs,
    authenticationTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    retry: { retries: 0 },
    logLevel: kafkajs.logLevel.NOTHING,
    logCreator: kafkaLogCreator(logger),
  });
}

/** Runs one look on a connection of its own. @throws KafkaJS' errors: see `kafkaTrouble` */
function look<T>(connection: KafkaConnection, logger: Logger, work: (admin: Admin) => Promise<T>): Promise<T> {
  return withAdmin(inspectionClient(connection, logger), work);
}

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

/** A topic as the brokers describe it. */
export interface InspectedTopic {
  readonly name: string;
  readonly partitions: number;
}

/**
 * Those of the topics that there are. Asks for all there are, because asking for one by name makes some brokers create it.
 * @throws KafkaJS' errors: see `kafkaTrouble`; also where a partition of any topic has no leader
 */
export async function inspectTopics(
  connection: KafkaConnection,
  names: readonly string[],
  logger: Logger,
): Promise<ReadonlyMap<string, InspectedTopic>> {
  const { topics } = await look(connection, logger, (admin) => admin.fetchTopicMetadata());
  const ours = topics.filter(({ name }) => names.includes(name));
  return new Map(ours.map(({ name, partitions }) => [name, { name, partitions: partitions.length }]));
}

/** How long a topic keeps its records. */
export interface TopicSettings {
  readonly name: string;
  /** Null: for ever. */
  readonly retentionMs: number | null;
  /** Of the records with one key only the last is kept. */
  readonly isCompacted: boolean;
}

const configNames = ['retention.ms', 'cleanup.policy'];

function limitOf(text: string | undefined): number | null {
  const value = Number(text);
  return text === undefined || Number.isNaN(value) || value < 0 ? null : value;
}

/** @throws KafkaJS' errors: see `kafkaTrouble` */
export async function inspectTopicSettings(
  connection: KafkaConnection,
  names: readonly string[],
  logger: Logger,
): Promise<readonly TopicSettings[]> {
  const resources = names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name, configNames }));
  const described = await look(connection, logger, (admin) =>
    admin.describeConfigs({ resources, includeSynonyms: false }),
  );
  return described.resources.map(({ resourceName, configEntries }) => {
    const values = new Map(configEntries.map(({ configName, configValue }) => [configName, configValue]));
    const policies = (values.get('cleanup.policy') ?? '').split(',').map((policy) => policy.trim());
    return {
      name: resourceName,
      retentionMs: policies.includes('delete') ? limitOf(values.get('retention.ms')) : null,
      isCompacted: policies.includes('compact'),
    };
  });
}

/**
 * First and next offset of each partition, by topic, and up to where it can be read. The topics must exist.
 * @throws KafkaJS' errors: see `kafkaTrouble`
 */
export async function inspectWatermarks(
  connection: KafkaConnection,
  names: readonly string[],
  logger: Logger,
): Promise<ReadonlyMap<string, readonly PartitionEnds[]>> {
  return look(connection, logger, async (admin) => {
    const watermarks = new Map<string, readonly PartitionEnds[]>();
    // One after the other: KafkaJS' own list of topics is shared by all questions of a connection.
    for (const name of names) watermarks.set(name, await partitionEnds(admin, name));
    return watermarks;
  });
}

/**
 * The open transactions of partitions, as far as the brokers name them. The topics must exist.
 * @throws KafkaJS' errors: see `kafkaTrouble`
 */
export async function inspectOpenTransactions(
  connection: KafkaConnection,
  partitions: readonly TopicPartition[],
  logger: Logger,
): Promise<readonly OpenTransaction[]> {
  if (partitions.length === 0) return [];
  return look(connection, logger, async (admin) => {
    const found: OpenTransaction[] = [];
    for (const [topic, own] of Map.groupBy(partitions, (place) => place.topic)) {
      // KafkaJS finds the leaders only of topics that it has heard of.
      await admin.fetchTopicOffsets(topic);
      const asked = own.map(({ partition }) => partition);
      found.push(...(await openTransactionsOf(admin, topic, asked)));
    }
    return found;
  });
}

/** The consumer group as its coordinator describes it. */
export interface InspectedGroup {
  /** `Stable`, `Empty`, `Dead`, `PreparingRebalance`, `CompletingRebalance`, ... */
  readonly state: string;
  readonly members: number;
  /** Whether its members consume into the database with this key; null where it has none. */
  readonly isOwn: (mac: Uint8Array) => boolean | null;
}

/** @throws KafkaJS' errors: see `kafkaTrouble` */
export async function inspectGroup(
  connection: KafkaConnection,
  groupId: string,
  logger: Logger,
): Promise<InspectedGroup> {
  const { groups } = await look(connection, logger, async (admin) => {
    // KafkaJS finds the coordinator only among the brokers that it has heard of.
    await admin.describeCluster();
    return admin.describeGroups([groupId]);
  });
  const [group] = groups;
  if (group === undefined) return { state: 'Dead', members: 0, isOwn: () => null };
  const { state, members, protocol } = group;
  return {
    state,
    members: members.length,
    isOwn: (mac) => (protocol === '' ? null : isOwnProtocol(protocol, installationName(mac))),
  };
}

/** Up to where a consumer group has told Kafka that it consumed a partition. */
export interface CommittedOffset {
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: number;
}

/**
 * What Kafka keeps for the group; nothing of partitions that it never committed. The topics must exist.
 * @throws KafkaJS' errors: see `kafkaTrouble`
 */
export async function inspectCommitted(
  connection: KafkaConnection,
  { groupId, topics }: { readonly groupId: string; readonly topics: readonly string[] },
  logger: Logger,
): Promise<readonly CommittedOffset[]> {
  if (topics.length === 0) return [];
  const found = await look(connection, logger, async (admin) => {
    // KafkaJS finds the coordinator only among the brokers that it has heard of.
    await admin.describeCluster();
    return admin.fetchOffsets({ groupId, topics: [...topics] });
  });
  return found.flatMap(({ topic, partitions }) =>
    partitions
      .map(({ partition, offset }) => ({ topic, partition, nextOffset: Number(offset) }))
      .filter(({ nextOffset }) => nextOffset >= 0),
  );
}
