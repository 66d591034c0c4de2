import { z } from 'zod';
import {
  brandAttributeBodySchema,
  brandAttributeChangesSchema,
  brandAttributeSchema,
  brandSchema,
  templateSchema,
  transactionAttributeBodySchema,
  transactionAttributeSchema,
  transactionTypeSchema,
} from '../contract/administration-bodies.js';
import { listingQuerySchema, rewardQuerySchema, transactionQuerySchema } from '../contract/queries.js';
import { scheduleBodySchema, scheduleFiltersSchema } from '../contract/schedule-body.js';
import { transactionBodySchema, transactionSchema } from '../contract/transaction-body.js';
import {
  issueBodySchema,
  walletPassPageSchema,
  walletPassSchema,
  workflowBodySchema,
} from '../contract/wallet-pass.js';
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
const nameOf: ReadonlyMap<unknown, string> = new Map(namedSchemas.map(([name, schema]) => [schema, name]));

/** Where a seed may spell the names of properties otherwise. */
const placeOf: ReadonlyMap<unknown, PlaceName> = new Map<unknown, PlaceName>([
  [issueBodySchema, 'issue'],
  [workflowBodySchema, 'issue'],
  [scheduleBodySchema, 'schedule'],
  [scheduleFiltersSchema, 'scheduleFilters'],
  [brandAttributeSchema, 'brandAttribute'],
  [brandAttributeBodySchema, 'brandAttribute'],
  [brandAttributeChangesSchema, 'brandAttribute'],
  [transactionAttributeSchema, 'transactionAttribute'],
  [transactionAttributeBodySchema, 'transactionAttribute'],
  [listingQuerySchema, 'list'],
  [rewardQuerySchema, 'reward'],
  [transactionQuerySchema, 'transaction'],
]);

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

/** Writes schemas with their names as the seed spells them; values are described as they are by default. */
export class SchemaWriter {
  constructor(private readonly choice: SpellingChoice) {}

  successStatus(operation: string): number {
    return operation === 'issue' ? this.choice.createdStatus : 200;
  }

  /** `components.schemas`: what has a name. */
  components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(
      namedSchemas.map(([name, schema]) => [
        name,
        this.convert(schema, sentNames.has(name) ? 'input' : 'output', schema),
      ]),
    );
  }

  /** A zod schema as JSON Schema; a reference where it, or a part of it, has a name. */
  write(schema: z.ZodType, direction: Direction): JsonSchema {
    const name = nameOf.get(schema);
    return name === undefined ? this.convert(schema, direction, null) : reference(name);
  }

  /** The parameters of a query. */
  parameters(schema: z.ZodType): JsonSchema[] {
    const { properties = {}, required = [] } = this.convert(schema, 'input', null) as {
      readonly properties?: Readonly<Record<string, JsonSchema>>;
      readonly required?: readonly string[];
    };
    return Object.entries(properties).map(([name, property]) => ({
      name,
      schema: property,
      required: required.includes(name),
      in: 'query',
    }));
  }

  /** `whole` is written out although it has a name. */
  private convert(schema: z.ZodType, io: Direction, whole: unknown): JsonSchema {
    const override: Override = ({ zodSchema, jsonSchema }) => {
      const name = nameOf.get(zodSchema);
      if (name === undefined || zodSchema === whole) {
        this.spell(zodSchema, jsonSchema);
        return;
      }
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      Object.assign(jsonSchema, reference(name));
    };
    const { $schema: _, ...converted } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
    return withBareReferences(converted) as JsonSchema;
  }

  private spell(zodSchema: unknown, jsonSchema: z.core.JSONSchema.BaseSchema): void {
    const place = placeOf.get(zodSchema);
    if (place === undefined) return;
    const names: Readonly<Record<string, string>> = this.choice[place];
    const spelled = (name: string): string => names[name] ?? name;
    const { properties = {}, required } = jsonSchema;
    jsonSchema.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [spelled(name), property]),
    );
    if (required !== undefined) jsonSchema.required = required.map(spelled);
  }
}

function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** zod writes out a refined copy of a named schema beside the reference to it. */
function withBareReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withBareReferences);
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) return { $ref: schema.$ref };
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, withBareReferences(part)]));
}
