import { z } from 'zod';

import { OUTCOME_EVENT_SCHEMAS } from '../outcome-events/index.js';
import { frameShape } from '../source-events/frame.js';
import { SOURCE_EVENT_SCHEMAS } from '../source-events/index.js';

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
