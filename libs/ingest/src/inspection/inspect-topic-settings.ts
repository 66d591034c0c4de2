import kafkajs from 'kafkajs';

import type { Logger } from '#platform';

import type { KafkaConnection } from '../source/kafka/kafka-connection.js';
import { look } from './inspection-client.js';

/** How long a topic keeps its records. */
export interface TopicSettings {
  readonly name: string;
  /** Null: for ever. */
  readonly retentionMs: number | null;
  /** Null: however many they are. */
  readonly retentionBytes: number | null;
  /** Of the records with one key only the last is kept. */
  readonly isCompacted: boolean;
}

const configNames = ['retention.ms', 'retention.bytes', 'cleanup.policy'];

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
      retentionBytes: policies.includes('delete') ? limitOf(values.get('retention.bytes')) : null,
      isCompacted: policies.includes('compact'),
    };
  });
}
