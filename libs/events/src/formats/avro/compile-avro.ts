import type * as avsc from 'avsc';
import type { Type } from 'avsc';
import { readJsonText } from '#contracts/json';
import { MemberCount } from '../registry/count-members.js';
import type { RegisteredSchema } from '../registry/schema-registry.js';

/** What `Type.forSchema` hands on to its hook. */
type Options = NonNullable<Parameters<typeof Type.forSchema>[1]>;
type Schema = Parameters<typeof Type.forSchema>[0];
type SchemaObject = Readonly<Record<string, unknown>>;

/** What a schema says of a type besides how its bytes lie. */
export interface Logical {
  readonly name: string;
  /** Digits after the point. */
  readonly scale: number;
}

export interface AvroSchema {
  readonly type: Type;
  /** Of the types that have one. */
  readonly logical: ReadonlyMap<Type, Logical>;
}

const complexTypes: ReadonlySet<unknown> = new Set([
  ...['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'],
  ...['record', 'error', 'enum', 'array', 'map', 'fixed', 'union'],
]);

/**
 * The schema with what it refers to, by the names that each declares. Defaults and aliases are left out: they are for readers that
 * have a schema of their own.
 * @throws where it is no Avro schema
 */
export function compileAvro({ Type: avroType }: Pick<typeof avsc, 'Type'>, schema: RegisteredSchema): AvroSchema {
  const logical = new Map<Type, Logical>();
  const seen = new WeakSet<object>();
  // Names come from outside: none may be found among what every object has.
  const registry = Object.create(null) as Record<string, Type>;
  const hook = (given: Schema, options: Options): Type | undefined => {
    if (typeof given !== 'object' || Array.isArray(given) || seen.has(given)) return undefined;
    const inner = innerOf(given as unknown as SchemaObject);
    if (inner !== null) return avroType.forSchema(inner as Schema, options);
    const plain = withoutDefaults(given as unknown as SchemaObject);
    seen.add(plain);
    const type = avroType.forSchema(plain as unknown as Schema, options);
    const { logicalType: name, scale = 0 } = given as unknown as SchemaObject;
    if (typeof name === 'string' && Number.isInteger(scale)) logical.set(type, { name, scale: Number(scale) });
    return type;
  };
  const add = (text: string): Type => {
    return avroType.forSchema(parsed(text), { registry, typeHook: hook, wrapUnions: 'always' });
  };
  const members = new MemberCount();
  // Types and fields are objects; symbols cost as much as they are long.
  for (const { text } of [...schema.references, schema]) members.addFound(text, '{');
  for (const { text } of schema.references) add(text);
  return { type: add(schema.text), logical };
}

function parsed(text: string): Schema {
  const schema = readJsonText(text);
  // By its name alone, as some registries keep a primitive one.
  return (schema === undefined ? text : schema) as Schema;
}

/** What an object stands for that only holds another schema, or the name of one; null: it is one itself. */
function innerOf({ type }: SchemaObject): object | string | null {
  if (typeof type === 'object' && type !== null) return type;
  return typeof type === 'string' && !complexTypes.has(type) ? type : null;
}

function withoutDefaults(schema: SchemaObject): SchemaObject {
  const { logicalType: _logicalType, default: _default, aliases: _aliases, fields, ...rest } = schema;
  if (!Array.isArray(fields)) return rest;
  return { ...rest, fields: fields.map((field) => withoutDefault(field as SchemaObject)) };
}

function withoutDefault({ default: _default, aliases: _aliases, ...field }: SchemaObject): SchemaObject {
  return field;
}
