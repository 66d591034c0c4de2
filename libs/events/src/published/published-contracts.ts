import { z } from 'zod';

import {
  ACTION_RECORDED,
  actionRecordedSchema,
  DEFAULT_TOPICS,
  OUTCOME_EVENT_SCHEMAS,
  type TopicNames,
} from '#contracts';

import type { Subject } from '../core/event-type.js';
import { frameShape } from '../core/source-event.js';
import { eventTypeOf, isSourceEventName, SOURCE_EVENT_SAMPLES, SOURCE_EVENT_SCHEMAS } from '../source-events.js';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Outcomes are ours to the last letter; source events may carry a producer's reverse-DNS prefix in `type`. */
const prefixPattern = '(?:[A-Za-z0-9-]+\\.)*';

const time = { type: 'string', format: 'date-time', description: 'RFC 3339 with offset: when it happened.' };
const specversion = { const: '1.0' };

/** What a rule in code says beyond the schema (no control characters, say) is left out: the schema is never stricter. */
function shapeOf(schema: z.ZodType): { readonly properties: JsonSchema; readonly required: readonly string[] } {
  const text = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-2020-12' });
  const { properties = {}, required = [] } = text;
  return { properties, required };
}

function eventSchema(
  name: string,
  type: JsonSchema,
  shape: { readonly properties: JsonSchema; readonly required: readonly string[] },
): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: name,
    type: 'object',
    properties: { ...shape.properties, specversion, type, time },
    required: [...new Set(['specversion', 'type', 'time', ...shape.required])],
  };
}

function sourceEventSchema([name, data]: readonly [string, z.ZodType]): [string, JsonSchema] {
  const pattern = `^${prefixPattern}${name.replaceAll('.', '\\.')}$`;
  return [name, eventSchema(name, { type: 'string', pattern }, shapeOf(z.object({ ...frameShape, data })))];
}

const outcomeFrame = {
  id: z.string(),
  source: z.string(),
  subject: z.string(),
  sequence: z.string(),
  datacontenttype: z.literal('application/json'),
};

function outcomeEventSchema([name, data]: readonly [string, z.ZodType]): [string, JsonSchema] {
  return [name, eventSchema(name, { const: name }, shapeOf(z.object({ ...outcomeFrame, data })))];
}

/** Every event that we read, as a structured CloudEvent. */
export function sourceEventSchemas(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(SOURCE_EVENT_SCHEMAS).map(sourceEventSchema));
}

/** Every event that we emit on the outcomes topic. */
export function outcomeEventSchemas(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(OUTCOME_EVENT_SCHEMAS).map(outcomeEventSchema));
}

/** The event that we emit on the audit topic. */
export function auditEventSchemas(): Readonly<Record<string, JsonSchema>> {
  const whole = z.object({ ...outcomeFrame, data: actionRecordedSchema });
  const frame = shapeOf(whole.omit({ subject: true, sequence: true }));
  return { [ACTION_RECORDED]: eventSchema(ACTION_RECORDED, { const: ACTION_RECORDED }, frame) };
}

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
    bindings: keyOf(
      name === ACTION_RECORDED
        ? 'The program; empty where there is none.'
        : 'The member id: a member’s events keep their order only within one partition.',
    ),
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
    'x-fingerprint': {
      type: 'string',
      description: 'A keyed digest of the record, in hex. Absent where it can no longer be opened.',
    },
    'x-detail': {
      type: 'string',
      description: 'Paths and rules, never a value. With DEAD_LETTER_VALUE=original only.',
    },
    'x-truncated': { const: 'true', description: 'The original value was too large, or could not be read.' },
  },
  required: ['x-original-topic', 'x-original-partition', 'x-original-offset', 'x-reason'],
};

const deadLetter: JsonSchema = {
  name: 'dead-letter',
  title: 'A record that was set aside',
  summary:
    'Where it came from, why it was set aside and its fingerprint; with DEAD_LETTER_VALUE=original its value and headers, too. At least once; the key is the quarantine id.',
  headers: deadLetterHeaders,
  bindings: keyOf('The quarantine id.'),
};

function typesOf(subject: Subject): readonly string[] {
  return Object.keys(SOURCE_EVENT_SCHEMAS).filter(
    (name) => isSourceEventName(name) && eventTypeOf(name).subject === subject,
  );
}

function messagesOf(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

/**
 * The topics and their messages as an AsyncAPI 3.0 document, as seen by loyaltyd: it receives the first three kinds.
 * @param schemas of all events, by type
 */
function asyncApi(schemas: Readonly<Record<string, JsonSchema>>, topics: TopicNames): JsonSchema {
  const channels: Readonly<Record<keyof TopicNames, readonly string[]>> = {
    members: typesOf('members'),
    purchases: typesOf('purchases'),
    rewards: typesOf('rewards'),
    outcomes: Object.keys(OUTCOME_EVENT_SCHEMAS),
    audit: [ACTION_RECORDED],
    deadLetter: ['dead-letter'],
  };
  const names = (Object.keys(channels) as (keyof TopicNames)[]).filter((name) => topics[name] !== null);
  const actionOf = (name: keyof TopicNames): string =>
    ['outcomes', 'audit', 'deadLetter'].includes(name) ? 'send' : 'receive';
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

/** What producers and readers of our topics need to know. */
export interface PublishedContracts {
  readonly asyncapi: JsonSchema;
  /** JSON Schemas by event type. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** Made anew by each call, from the schemas that the daemon itself checks with. */
export function publishedContracts(topics: TopicNames = DEFAULT_TOPICS): PublishedContracts {
  const schemas = { ...sourceEventSchemas(), ...outcomeEventSchemas(), ...auditEventSchemas() };
  return { asyncapi: asyncApi(schemas, topics), schemas };
}
