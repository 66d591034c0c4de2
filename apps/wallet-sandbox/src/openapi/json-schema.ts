import { z } from 'zod';
import {
  brandAttributeSchema,
  brandSchema,
  templateSchema,
  transactionAttributeSchema,
  transactionTypeSchema,
} from '../contract/administration-bodies.js';
import { transactionBodySchema, transactionSchema } from '../contract/transaction-body.js';
import {
  issueBodySchema,
  walletPassPageSchema,
  walletPassSchema,
  workflowBodySchema,
} from '../contract/wallet-pass.js';
import { creatingOperations } from '../http/operation.js';
import { isJsonObject } from '../spelling/renaming.js';
import type { PlaceName, SpellingChoice } from '../spelling/spelling-schema.js';

/** Every error's body (partner-api.md section 7). */
export const errorSchema = z.looseObject({ message: z.string() });

/** Names under which generated clients know what partner-api.md section 2 names; other schemas stand where they are used. */
const namedSchemas: readonly (readonly [name: string, schema: z.ZodType])[] = [
  ['WalletPass', walletPassSchema],
  ['WalletPassPage', walletPassPageSchema],
  ['Brand', brandSchema],
  ['BrandAttribute', brandAttributeSchema],
  ['TransactionAttribute', transactionAttributeSchema],
  ['TransactionType', transactionTypeSchema],
  ['Transaction', transactionSchema],
  ['WalletTemplate', templateSchema],
  ['IssueBody', issueBodySchema],
  ['WorkflowBody', workflowBodySchema],
  ['TransactionBody', transactionBodySchema],
  ['Error', errorSchema],
];

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

type Names = Readonly<Record<string, string>>;

const componentPlaces: Readonly<Record<string, PlaceName>> = {
  IssueBody: 'issue',
  WorkflowBody: 'issue',
  BrandAttribute: 'brandAttribute',
  TransactionAttribute: 'transactionAttribute',
};
const bodyPlaces: Readonly<Record<string, PlaceName>> = {
  'create-brand-attribute': 'brandAttribute',
  'update-brand-attribute': 'brandAttribute',
  'create-transaction-attribute': 'transactionAttribute',
  'schedule-update': 'schedule',
};
const queryPlaces: Readonly<Record<string, PlaceName>> = { list: 'list', reward: 'reward', transaction: 'transaction' };

/** The names of a description as the seed spells them; its values are described as they are by default. */
export class SchemaSpelling {
  constructor(private readonly choice: SpellingChoice) {}

  successStatus(operation: string): number {
    return creatingOperations.has(operation) ? this.choice.createdStatus : 200;
  }

  component(name: string, schema: JsonSchema): JsonSchema {
    return rename(schema, this.names(componentPlaces[name]));
  }

  body(operation: string, schema: JsonSchema): JsonSchema {
    const inner = operation === 'schedule-update' ? this.withFilters(schema) : schema;
    return rename(inner, this.names(bodyPlaces[operation]));
  }

  parameter(operation: string, name: string): string {
    return this.names(queryPlaces[operation])[name] ?? name;
  }

  private withFilters(schema: JsonSchema): JsonSchema {
    const properties = schema['properties'] as Readonly<Record<string, JsonSchema>>;
    const filters = rename(properties['filters'] ?? {}, this.choice.scheduleFilters);
    return { ...schema, properties: { ...properties, filters } };
  }

  private names(place: PlaceName | undefined): Names {
    return place === undefined ? {} : this.choice[place];
  }
}

function rename(schema: JsonSchema, names: Names): JsonSchema {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return schema;
  const spell = (name: string): string => names[name] ?? name;
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [spell(name), property])),
    ...(Array.isArray(required) ? { required: (required as string[]).map(spell) } : {}),
  };
}
