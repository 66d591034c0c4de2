import { creatingOperations } from '../http/operation.js';
import type { PlaceName } from '../spelling/places.js';
import { isJsonObject } from '../spelling/renaming.js';
import type { SpellingChoice } from '../spelling/spelling-schema.js';
import type { JsonSchema } from './json-schema.js';

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
