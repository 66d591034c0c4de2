import { z } from 'zod';
import { parseRfc3339 } from '../rfc3339.js';
import { readCertificatePair } from './certificate-pair.js';
import type { Environment, KafkaEnvironment, TopicNames } from './environment.js';
import { DECOMPRESSED_BYTES_MAX, DEFAULT_TOPICS } from './environment.js';
import { readSasl } from './kafka-login.js';
import { choiceSchema, flagSchema, integerSchema, listSchema, textSchema, type VariableReader } from './variables.js';

const brokersSchema = listSchema.refine(
  (brokers) =>
    brokers.length > 0 && brokers.every((broker) => /^[^\s:/]+:\d{1,5}$|^\[[0-9a-fA-F:]+\]:\d{1,5}$/.test(broker)),
  { error: 'must be a comma list of host:port' },
);

const topicSchema = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/, { error: 'must be a Kafka topic name' });

const startFromSchema = z.string().transform((text, context): KafkaEnvironment['startFrom'] => {
  if (text === 'earliest' || text === 'latest') return { kind: text };
  const timeMs = parseRfc3339(text);
  if (timeMs !== null) return { kind: 'time', timeMs };
  context.addIssue('must be earliest, latest or an RFC 3339 time');
  return z.NEVER;
});

const mebibyte = 1024 * 1024;
const decompressedBytes = { min: mebibyte, max: 1024 * mebibyte };

/**
 * The `KAFKA_*` and `DEAD_LETTER_*` variables; `null` when they are not set and not required. Ingest and the door need
 * the brokers, and so does delivery unless the topics that it publishes are turned off.
 */
export function readKafka(variables: VariableReader, { roles }: Pick<Environment, 'roles'>): KafkaEnvironment | null {
  const topics = readTopics(variables);
  const publishes = topics.outcomes !== null || topics.audit !== null;
  const isRequired = roles.includes('ingest') || roles.includes('door') || (roles.includes('delivery') && publishes);
  const brokers = isRequired
    ? variables.required('KAFKA_BROKERS', brokersSchema)
    : variables.optional('KAFKA_BROKERS', brokersSchema);
  const rest = {
    groupId: variables.withDefault('KAFKA_GROUP_ID', textSchema, 'loyaltyd'),
    startFrom: variables.withDefault('KAFKA_START_FROM', startFromSchema, { kind: 'earliest' as const }),
    topics,
    deadLetterValue: variables.withDefault('DEAD_LETTER_VALUE', choiceSchema(['original', 'none']), 'none'),
    decompressedBytesMax: variables.withDefault(
      'KAFKA_DECOMPRESSED_BYTES_MAX',
      integerSchema(decompressedBytes.min, decompressedBytes.max),
      DECOMPRESSED_BYTES_MAX,
    ),
    ssl: readSsl(variables),
    sasl: readSasl(variables),
  };
  return brokers === null ? null : { brokers, ...rest };
}

function readTopics(variables: VariableReader): TopicNames {
  const topic = (name: string, absent: string): string =>
    variables.withDefault(`KAFKA_TOPIC_${name}`, topicSchema, absent);
  const outTopic = (name: string, absent: string): string | null => {
    const text = topic(name, absent);
    return text === 'none' ? null : text;
  };
  const topics = {
    members: topic('MEMBERS', DEFAULT_TOPICS.members),
    purchases: topic('PURCHASES', DEFAULT_TOPICS.purchases),
    rewards: topic('REWARDS', DEFAULT_TOPICS.rewards),
    outcomes: outTopic('OUTCOMES', DEFAULT_TOPICS.outcomes),
    audit: outTopic('AUDIT', DEFAULT_TOPICS.audit),
    deadLetter: outTopic('DEAD_LETTER', DEFAULT_TOPICS.deadLetter),
  };
  const names = Object.values(topics).filter((name) => name !== null);
  if (new Set(names).size < names.length) variables.fail('KAFKA_TOPIC_*', 'one topic is named twice');
  return topics;
}

const caName = 'KAFKA_SSL_CA_FILE';

function readSsl(variables: VariableReader): KafkaEnvironment['ssl'] {
  const files = { ca: variables.pem(caName, 'CERTIFICATE'), ...readCertificatePair(variables, 'KAFKA_SSL') };
  const isNamed = [caName, 'KAFKA_SSL_CERT_FILE'].some((name) => variables.text(name) !== null);
  const isOn = variables.withDefault('KAFKA_SSL', flagSchema, isNamed);
  return isOn ? files : null;
}
