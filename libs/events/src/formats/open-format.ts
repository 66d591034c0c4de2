import { avroFormat } from './avro/avro-format.js';
import { debeziumFormat, outboxFormat } from './debezium/debezium-format.js';
import { jsonFormat } from './json-format.js';
import { jsonSchemaFormat } from './json-schema-format.js';
import { protobufFormat } from './protobuf/protobuf-format.js';
import type { SchemaRegistry } from './registry/schema-registry.js';
import type { SourceFormat } from './source-format.js';

export interface FormatOptions {
  /** Of Debezium's envelopes: whether a row that was changed counts, too. */
  readonly updates?: boolean;
  /** By which the registry is asked, where it has several contexts. */
  readonly subject?: string | null;
}

type Options = Required<FormatOptions>;

type FormatEntry =
  | { readonly needsRegistry: false; open(options: Options): SourceFormat }
  | { readonly needsRegistry: true; open(registry: SchemaRegistry, options: Options): SourceFormat };

const withoutRegistry = (open: (options: Options) => SourceFormat): FormatEntry => ({ needsRegistry: false, open });

const withRegistry = (open: (registry: SchemaRegistry, options: Options) => SourceFormat): FormatEntry => ({
  needsRegistry: true,
  open,
});

/** Every format by the name that a source gives it; `cloudevents` needs no map, and is read by the envelope's own reader. */
const formats = {
  json: withoutRegistry(() => jsonFormat),
  'json-schema': withoutRegistry(() => jsonSchemaFormat),
  avro: withRegistry((registry, { subject }) => avroFormat(registry, subject)),
  protobuf: withRegistry((registry, { subject }) => protobufFormat(registry, subject)),
  'debezium-json': withoutRegistry(({ updates }) => debeziumFormat(jsonFormat, updates)),
  'debezium-avro': withRegistry((registry, { updates, subject }) =>
    debeziumFormat(avroFormat(registry, subject), updates),
  ),
  'outbox-json': withoutRegistry(() => outboxFormat(jsonFormat)),
  'outbox-avro': withRegistry((registry, { subject }) => outboxFormat(avroFormat(registry, subject))),
} satisfies Readonly<Record<string, FormatEntry>>;

export type FormatName = keyof typeof formats;

export const FORMAT_NAMES = Object.keys(formats) as readonly FormatName[];

export function needsRegistry(name: FormatName): boolean {
  return formats[name].needsRegistry;
}

/**
 * How the records of one source are read; it keeps the schemas that it has compiled.
 * @throws Error where the format needs a registry and there is none
 */
export function openFormat(
  name: FormatName,
  registry: SchemaRegistry | null,
  { updates = false, subject = null }: FormatOptions = {},
): SourceFormat {
  const entry: FormatEntry = formats[name];
  const options = { updates, subject };
  if (!entry.needsRegistry) return entry.open(options);
  if (registry === null) throw new Error(`the format ${name} needs SCHEMA_REGISTRY_URL`);
  return entry.open(registry, options);
}

export const isFormat = (name: string): name is FormatName => FORMAT_NAMES.some((format) => format === name);

/** Why the format that a source names cannot be read here; null: it can. */
export function formatProblem(name: string, hasRegistry: boolean): string | null {
  if (!isFormat(name)) return `must be one of cloudevents, ${FORMAT_NAMES.join(', ')}`;
  return needsRegistry(name) && !hasRegistry ? 'needs SCHEMA_REGISTRY_URL' : null;
}

/** Opens the format that a source names. @throws where `formatProblem` was not asked */
export function openNamed(name: string, registry: SchemaRegistry | null, options: FormatOptions): SourceFormat {
  if (!isFormat(name)) throw new Error('an unknown format passed the judge');
  return openFormat(name, registry, options);
}
