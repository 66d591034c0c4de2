import { z } from 'zod';
import { namedSchemas } from './named-schemas.js';

export type JsonSchema = Readonly<Record<string, unknown>>;
/** What is sent to the sandbox, or what it answers: defaults and conversions make the difference. */
type Direction = 'input' | 'output';

/** Bodies are written as they are sent; everything else as it is answered. */
const sentNames = new Set(['IssueBody', 'WorkflowBody', 'TransactionBody']);
const names: ReadonlyMap<unknown, string> = new Map(namedSchemas.map(([name, schema]) => [schema, name]));

/** `components.schemas`: what has a name. */
export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    namedSchemas.map(([name, schema]) => [name, convert(schema, sentNames.has(name) ? 'input' : 'output', schema)]),
  );
}

/** A zod schema as JSON Schema; a reference where it, or a part of it, has a name. */
export function toJsonSchema(schema: z.ZodType, direction: Direction): JsonSchema {
  const name = names.get(schema);
  return name === undefined ? convert(schema, direction, null) : reference(name);
}

/** The properties of a query, each with whether it must be given. */
export function queryProperties(schema: z.ZodType): { name: string; schema: JsonSchema; required: boolean }[] {
  const { properties, required } = convert(schema, 'input', null);
  const isRequired = new Set((required ?? []) as readonly string[]);
  return Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>).map(([name, property]) => ({
    name,
    schema: property,
    required: isRequired.has(name),
  }));
}

function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** `whole` is written out although it has a name. */
function convert(schema: z.ZodType, io: Direction, whole: unknown): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const name = names.get(zodSchema);
      if (name === undefined || zodSchema === whole) return;
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      Object.assign(jsonSchema, reference(name));
    },
  });
  return withBareReferences(converted) as JsonSchema;
}

/** zod writes out a refined copy of a named schema beside the reference to it. */
function withBareReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withBareReferences);
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) return { $ref: schema.$ref };
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, withBareReferences(part)]));
}
