import kafkajs from 'kafkajs';
import type { Admin as KafkaJsAdminClient, Kafka } from 'kafkajs';
import type { Logger } from '#platform';

import {
  type Admin,
  type CommittedOffset,
  type InspectedGroup,
  type InspectedTopic,
  installationName,
  type KafkaConnection,
  type OpenTransaction,
  type PartitionEnds,
  type ReadRights,
  type TopicPartition,
  type TopicSettings,
} from '../../driver.js';
import { isOwnProtocol, shardsOf } from './group-assigner.js';
import { KafkaClient } from './kafka-client.js';
import { kafkaJsConfig, kafkaLogCreator } from './kafka-connection.js';
import { findTopics, withAdmin } from './kafka-facts.js';
import { withKafkaErrors } from './kafka-problem.js';
import { readRightsOf } from './read-rights.js';
import { openTransactionsOf, partitionEnds } from './open-transactions.js';

/** A caller waits for the answer: one try, and soon. */
const connectTimeoutMs = 4_000;
const requestTimeoutMs = 3_000;

/** A client that looks once instead of trying again and again. */
export function inspectionClient(connection: KafkaConnection, logger: Logger): Kafka {
  return new KafkaClient({
    ...kafkaJsConfig(connection),
    connectionTimeout: connectTimeoutMs,
    authenticationTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    retry: { retries: 0 },
    logLevel: kafkajs.logLevel.NOTHING,
    logCreator: kafkaLogCreator(logger),
  });
}

const configNames = ['retention.ms', 'cleanup.policy', 'min.insync.replicas'];

function limitOf(text: string | undefined): number | null {
  const value = Number(text);
  return text === undefined || Number.isNaN(value) || value < 0 ? null : value;
}

/** Asks through KafkaJS, each time on a connection of its own. */
export class KafkaJsAdmin implements Admin {
  constructor(private readonly client: () => Kafka) {}

  async brokers(): Promise<readonly { readonly host: string; readonly port: number }[]> {
    const { brokers } = await this.ask((admin) => admin.describeCluster());
    return brokers.map(({ host, port }) => ({ host, port }));
  }

  async existing(names: readonly string[]): Promise<ReadonlySet<string>> {
    const { existing } = await withKafkaErrors(() => findTopics(this.client(), names));
    return new Set(existing);
  }

  /** Asks for all there are, because asking for one by name makes some brokers create it. */
  async topics(wanted: readonly string[] | ((name: string) => boolean)): Promise<ReadonlyMap<string, InspectedTopic>> {
    const isWanted = typeof wanted === 'function' ? wanted : (name: string) => wanted.includes(name);
    const { topics } = await this.ask((admin) => admin.fetchTopicMetadata());
    const ours = topics.filter(({ name }) => isWanted(name));
    return new Map(ours.map(({ name, partitions }) => [name, { name, partitions: partitions.length }]));
  }

  readRights(names: readonly string[], groupId: string): Promise<ReadRights> {
    return this.ask((admin) => readRightsOf(admin, names, groupId));
  }

  async topicSettings(names: readonly string[]): Promise<readonly TopicSettings[]> {
    const resources = names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name, configNames }));
    const described = await this.ask((admin) => admin.describeConfigs({ resources, includeSynonyms: false }));
    return described.resources.map(({ resourceName, configEntries }) => {
      const values = new Map(configEntries.map(({ configName, configValue }) => [configName, configValue]));
      const policies = (values.get('cleanup.policy') ?? '').split(',').map((policy) => policy.trim());
      return {
        name: resourceName,
        retentionMs: policies.includes('delete') ? limitOf(values.get('retention.ms')) : null,
        isCompacted: policies.includes('compact'),
        minInsyncReplicas: limitOf(values.get('min.insync.replicas')),
      };
    });
  }

  ends(names: readonly string[]): Promise<ReadonlyMap<string, readonly PartitionEnds[]>> {
    return this.ask(async (admin) => {
      const ends = new Map<string, readonly PartitionEnds[]>();
      // One after the other: KafkaJS' own list of topics is shared by all questions of a connection.
      for (const name of names) ends.set(name, await partitionEnds(admin, name));
      return ends;
    });
  }

  async openTransactions(partitions: readonly TopicPartition[]): Promise<readonly OpenTransaction[]> {
    if (partitions.length === 0) return [];
    return this.ask(async (admin) => {
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

  async group(groupId: string): Promise<InspectedGroup> {
    const { groups } = await this.ask(async (admin) => {
      // KafkaJS finds the coordinator only among the brokers that it has heard of.
      await admin.describeCluster();
      return admin.describeGroups([groupId]);
    });
    const [group] = groups;
    const none = { members: [], topics: [] };
    if (group === undefined) return { state: 'Dead', members: 0, isOwn: () => null, shards: none };
    const { state, members, protocol } = group;
    return {
      state,
      members: members.length,
      isOwn: (mac, shop) =>
        protocol === '' ? null : isOwnProtocol(protocol, { installation: installationName(mac), shop }),
      shards: shardsOf(protocol, members) ?? none,
    };
  }

  async committed(groupId: string, topics: readonly string[]): Promise<readonly CommittedOffset[]> {
    if (topics.length === 0) return [];
    const found = await this.ask(async (admin) => {
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

  async deleteGroup(groupId: string): Promise<void> {
    await this.ask(async (admin) => {
      // KafkaJS finds the coordinator only among the brokers that it has heard of.
      await admin.describeCluster();
      return admin.deleteGroups([groupId]);
    });
  }

  private ask<T>(work: (admin: KafkaJsAdminClient) => Promise<T>): Promise<T> {
    return withKafkaErrors(() => withAdmin(this.client(), work));
  }
}
