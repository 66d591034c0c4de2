import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { jsonDepthMax } from '#contracts';
import {
  type Documents,
  FORMAT_NAMES,
  type FormatName,
  openFormat,
  SchemaRegistry,
  type SourceFormat,
} from '#events/formats';
import { SystemClock } from '#platform';
import type { Chance } from '#shop';

import { joinHead, jsonOf, mustHold, splitHead, type FuzzTarget } from '../fuzz-target.js';
import { mutateBytes, mutateJson, planted } from '../mutate.js';

interface Golden {
  readonly format: FormatName;
  readonly schemas: readonly { readonly id: number; readonly subject: string; readonly answer: GoldenAnswer }[];
  readonly records: readonly { readonly value: string; readonly headers: Readonly<Record<string, string>> }[];
}

interface GoldenAnswer {
  readonly schema: string;
  readonly schemaType?: string;
  readonly references?: readonly { readonly name: string; readonly subject: string }[];
}

const isCompiled = import.meta.filename.endsWith('.js');
const folder = fileURLToPath(
  new URL(isCompiled ? '../../../../test/formats/golden/' : '../../formats/golden/', import.meta.url),
);
const goldens = readdirSync(folder)
  .toSorted()
  .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Golden);

const settings = {
  url: 'https://registry',
  login: { kind: 'none' },
  ca: null,
  cert: null,
  key: null,
  timeoutMs: 1,
} as const;
/** Which schema an input names is of no interest: there is one. */
class OneSchema extends SchemaRegistry {
  constructor(private readonly given: Awaited<ReturnType<SchemaRegistry['schema']>>) {
    super(() => settings, new SystemClock());
  }

  override async schema(): ReturnType<SchemaRegistry['schema']> {
    return this.given;
  }
}

function registryOf({ schemas }: Golden, text?: string): SchemaRegistry {
  const [main, ...others] = schemas;
  const textOf = (subject: string): string => others.find((each) => each.subject === subject)?.answer.schema ?? '';
  const references = (main?.answer.references ?? []).map(({ name, subject }) => ({ name, text: textOf(subject) }));
  return new OneSchema({
    type: main?.answer.schemaType ?? 'AVRO',
    text: text ?? main?.answer.schema ?? '',
    references,
  });
}

const words: readonly string[] = [
  ...[
    '\u0000\u0000\u0000\u0000\u0001',
    '\u0001',
    '\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u0001',
    '__proto__',
    'constructor',
  ],
  ...['schema', 'payload', 'before', 'after', 'op', 'c', 'r', 'u', 'd', 'name', 'fields', 'field', 'scale', 'value'],
  ...['{"schema":null,"payload":', 'org.apache.kafka.connect.data.Decimal', 'parameters', '1e999', '-0', 'type'],
];

/** Every value of a document: texts, true, false, null. */
function depthOf(value: unknown): number {
  mustHold(typeof value !== 'number' && value !== undefined, 'a document holds a number', value);
  if (typeof value !== 'object' || value === null) return 0;
  mustHold(!Object.hasOwn(value, '__proto__'), 'a prototype can be reached');
  return 1 + Object.values(value).reduce<number>((deepest, member) => Math.max(deepest, depthOf(member)), 0);
}

/** A payload in a text within another one. */
const documentDepthMax = 2 * jsonDepthMax + 1;

function judged(read: Documents): string {
  switch (read.kind) {
    case 'documents':
      for (const document of read.documents) mustHold(depthOf(document) <= documentDepthMax, 'it nests too deep');
      return `documents ${read.documents.length}`;
    case 'ignored':
      return `ignored ${read.reason}`;
    case 'unreadable':
      mustHold(
        read.detail !== '' && !read.detail.includes(planted),
        'a detail that says nothing, or too much',
        read.detail,
      );
      return `unreadable ${read.detail}`;
    default:
      return read satisfies never;
  }
}

function headersOf(texts: unknown): Record<string, Buffer> {
  const entries = typeof texts === 'object' && texts !== null ? Object.entries(texts) : [];
  return Object.fromEntries(entries.map(([name, text]) => [name, Buffer.from(String(text), 'base64')]));
}

const jsonSamples: readonly (readonly [FormatName, unknown])[] = [
  ['json', { id: 1, total: '59.99', lines: [{ sku: 'A', net: 1.5 }] }],
  ['debezium-json', { before: null, after: { id: 1, total: 'F28=' }, op: 'c' }],
  [
    'debezium-json',
    {
      schema: {
        fields: [
          {
            field: 'after',
            fields: [{ field: 'total', name: 'org.apache.kafka.connect.data.Decimal', parameters: { scale: '2' } }],
          },
        ],
      },
      payload: { before: null, after: { id: 1, total: 'F28=' }, op: 'c' },
    },
  ],
  ['outbox-json', { id: 'e-1', payload: '{"orderId":7}' }],
];

/** Bytes of every format, by a schema that is right: what any producer may put behind it. */
export function sourceFormatTarget(): FuzzTarget {
  const formats = goldens.map((golden) => openFormat(golden.format, registryOf(golden)));
  const plain = new Map(
    FORMAT_NAMES.filter((name) => name.endsWith('json')).map((name) => [
      name,
      openFormat(name, null, { updates: true }),
    ]),
  );
  const samples = [
    ...goldens.flatMap(({ records }, index) =>
      records.map(({ value, headers }) => joinHead({ at: index, headers }, Buffer.from(value, 'base64'))),
    ),
    ...jsonSamples.map(([at, value]) => joinHead({ at, headers: {} }, Buffer.from(JSON.stringify(value)))),
  ];
  const make = (chance: Chance, pool: readonly Buffer[]): Buffer => {
    const parts = splitHead(chance.pick(pool));
    if (parts === null) return mutateBytes(chance.pick(pool), chance, words, pool);
    const json = jsonOf(parts.body);
    const isTree = json !== undefined && chance.happens(0.7);
    const body = isTree ? Buffer.from(JSON.stringify(mutateJson(json, chance, words))) : null;
    return joinHead(parts.head, body ?? mutateBytes(parts.body, chance, words, pool));
  };
  const judge = async (input: Buffer): Promise<string> => {
    const parts = splitHead(input);
    const { at, headers } = (parts?.head ?? {}) as { readonly at?: unknown; readonly headers?: unknown };
    const format: SourceFormat | undefined = formats[Number(at)] ?? plain.get(at as FormatName);
    if (parts === null || format === undefined) return 'no record';
    const name = goldens[Number(at)]?.format ?? String(at);
    return `${name} ${judged(await format.read({ value: parts.body, headers: headersOf(headers) }))}`;
  };
  return { name: 'source-format', samples, make, judge };
}

/** Schemas as a registry may hand them over, and records that are right by another one. */
export function schemaTextTarget(): FuzzTarget {
  const registered = goldens.filter(({ schemas }) => schemas.length > 0);
  const samples = registered.map((golden, index) =>
    joinHead({ at: index }, Buffer.from(golden.schemas[0]?.answer.schema ?? '')),
  );
  const schemaWords = [
    ...['record', 'array', 'map', 'union', 'fixed', 'enum', 'bytes', 'decimal', 'logicalType', 'precision', 'size'],
    ...[
      'shop.common.Money',
      'message M {',
      'oneof o {',
      'repeated ',
      'map<string, M> m = 1;',
      'import "a.proto";',
      '}',
    ],
  ];
  const make = (chance: Chance, pool: readonly Buffer[]): Buffer => {
    const parts = splitHead(chance.pick(pool));
    if (parts === null) return mutateBytes(chance.pick(pool), chance, schemaWords, pool);
    const json = jsonOf(parts.body);
    const isTree = json !== undefined && chance.happens(0.8);
    const body = isTree ? Buffer.from(JSON.stringify(mutateJson(json, chance, schemaWords))) : null;
    return joinHead(parts.head, body ?? mutateBytes(parts.body, chance, schemaWords, pool));
  };
  const judge = async (input: Buffer): Promise<string> => {
    const parts = splitHead(input);
    const golden = registered[Number((parts?.head as { readonly at?: unknown } | undefined)?.at)];
    if (parts === null || golden === undefined) return 'no schema';
    const format = openFormat(golden.format, registryOf(golden, parts.body.toString('utf8')));
    const record = golden.records[0];
    const read = await format.read({
      value: Buffer.from(record?.value ?? '', 'base64'),
      headers: headersOf(record?.headers),
    });
    return `${golden.format} ${judged(read)}`;
  };
  return { name: 'schema-text', samples, make, judge };
}
