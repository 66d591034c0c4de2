import type { TopicNames } from '../environment/index.js';
import { OUTCOME_EVENT_SCHEMAS } from '../outcome-events/index.js';
import { SOURCE_EVENT_SAMPLES, SOURCE_EVENT_SCHEMAS } from '../source-events/index.js';
import type { JsonSchema } from './event-schemas.js';

/** Goes with the event types, which carry their versions, not with the product's releases. */
const contractVersion = '1.0.0';

const structured = 'application/cloudevents+json';
const keyOf = (description: string): JsonSchema => ({ kafka: { key: { type: 'string', description } } });

function eventMessage(name: string, payload: JsonSchema): JsonSchema {
  const example = (SOURCE_EVENT_SAMPLES as Readonly<Record<string, unknown>>)[name];
  return {
    name,
    title: name,
    contentType: structured,
    payload,
    bindings: keyOf('The member id: a member’s events keep their order only within one partition.'),
    ...(example === undefined ? {} : { examples: [{ name: 'data', payload: exampleOf(name, example) }] }),
  };
}

function exampleOf(name: string, data: unknown): JsonSchema {
  return {
    specversion: '1.0',
    id: '01JD7Z0Q9W3M',
    source: '/pos/berlin-07/till-3',
    type: name,
    time: '2026-11-21T10:15:04+01:00',
    datacontenttype: 'application/json',
    data,
  };
}

const deadLetterHeaders: JsonSchema = {
  type: 'object',
  properties: {
    'x-original-topic': { type: 'string' },
    'x-original-partition': { type: 'string' },
    'x-original-offset': { type: 'string' },
    'x-reason': { type: 'string' },
    'x-detail': { type: 'string', description: 'Paths and rules, never a value.' },
    'x-truncated': { const: 'true', description: 'The original value was too large, or could not be read.' },
  },
  required: ['x-original-topic', 'x-original-partition', 'x-original-offset', 'x-reason', 'x-detail'],
};

const deadLetter: JsonSchema = {
  name: 'dead-letter',
  title: 'A record that was set aside',
  summary: 'The original value and headers, and why it was set aside. At least once; the key is the quarantine id.',
  headers: deadLetterHeaders,
  bindings: keyOf('The quarantine id.'),
};

function named(prefix: string): readonly string[] {
  return Object.keys(SOURCE_EVENT_SCHEMAS).filter((name) => name.startsWith(`loyalty.${prefix}.`));
}

function messagesOf(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

/**
 * The topics and their messages as an AsyncAPI 3.0 document, as seen by loyaltyd: it receives the first three kinds.
 * @param schemas of all events, by type
 */
export function asyncApi(schemas: Readonly<Record<string, JsonSchema>>, topics: TopicNames): JsonSchema {
  const channels: Readonly<Record<keyof TopicNames, readonly string[]>> = {
    members: named('member'),
    purchases: named('purchase'),
    rewards: named('reward'),
    outcomes: Object.keys(OUTCOME_EVENT_SCHEMAS),
    deadLetter: ['dead-letter'],
  };
  const names = (Object.keys(channels) as (keyof TopicNames)[]).filter((name) => topics[name] !== null);
  const actionOf = (name: keyof TopicNames): string =>
    name === 'outcomes' || name === 'deadLetter' ? 'send' : 'receive';
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'loyaltyd',
      version: contractVersion,
      description:
        'CloudEvents 1.0 on Kafka. Events in may be structured or binary; structured ones are described here.',
    },
    channels: Object.fromEntries(
      names.map((name) => [name, { address: topics[name], messages: messagesOf(channels[name]) }]),
    ),
    operations: Object.fromEntries(
      names.map((name) => [name, { action: actionOf(name), channel: { $ref: `#/channels/${name}` } }]),
    ),
    components: {
      messages: {
        ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, eventMessage(name, schema)])),
        'dead-letter': deadLetter,
      },
    },
  };
}
