import type { SourceRecord } from '#events/core';
import { ByteReader, MalformedError } from './byte-reader.js';
import { uuidText } from './exact-values.js';
import { messageIndexesMax } from './limits.js';

/** How a record names the schema that it was written by: by a number of its registry, or by an id that is the same in all. */
export type SchemaRef = { readonly kind: 'id'; readonly id: number } | { readonly kind: 'guid'; readonly guid: string };

/** A record's value taken apart: by which schema, which of its messages, and the bytes themselves. */
export interface SchemaFrame {
  readonly ref: SchemaRef;
  /** Of Protobuf alone: the place of the message in its file, from the outside inwards. */
  readonly indexes: readonly number[];
  readonly body: Uint8Array;
}

/** What Confluent's serializers write it into, where they write it into a header. */
const schemaHeader = '__value_schema_id';
const magicOfId = 0;
const magicOfGuid = 1;
const guidBytes = 16;

export function refText(ref: SchemaRef): string {
  return ref.kind === 'id' ? `id ${ref.id}` : `guid ${ref.guid}`;
}

/**
 * Confluent's wire format: a byte 0 and the schema's number in four bytes before the value, or in the header
 * `__value_schema_id` that, or a byte 1 and a GUID. The header comes first, as in Confluent's own deserializers.
 * @throws MalformedError
 */
export function readFrame(
  { value, headers }: { readonly value: Uint8Array; readonly headers?: SourceRecord['headers'] },
  hasIndexes: boolean,
): SchemaFrame {
  const header = headerBytes(headers);
  const reader = new ByteReader(header ?? value);
  try {
    const ref = readRef(reader, header !== null);
    const indexes = hasIndexes ? readIndexes(reader) : [];
    return { ref, indexes, body: header === null ? reader.take(reader.left) : value };
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    throw new MalformedError(`${header === null ? 'value' : `headers.${schemaHeader}`}: ${error.message}`);
  }
}

/** Of several under one name the last counts, as in Kafka. */
function headerBytes(headers: SourceRecord['headers']): Uint8Array | null {
  if (headers === undefined || !Object.hasOwn(headers, schemaHeader)) return null;
  const value = headers[schemaHeader];
  const last = typeof value === 'string' || value instanceof Uint8Array ? value : (value?.at(-1) ?? null);
  return typeof last === 'string' ? Buffer.from(last, 'utf8') : last;
}

function readRef(reader: ByteReader, mayBeGuid: boolean): SchemaRef {
  const magic = reader.left === 0 ? null : reader.byte();
  if (magic === magicOfId) {
    const [a = 0, b = 0, c = 0, d = 0] = reader.take(4);
    return { kind: 'id', id: ((a << 24) | (b << 16) | (c << 8) | d) >>> 0 };
  }
  if (magic === magicOfGuid && mayBeGuid) return { kind: 'guid', guid: uuidText(reader.take(guidBytes)) };
  throw new MalformedError("names no schema: not Confluent's wire format");
}

/** No index stands for the first message, which most files have alone. */
function readIndexes(reader: ByteReader): readonly number[] {
  const count = reader.zigzag();
  if (count < 0 || count > messageIndexesMax) throw new MalformedError('message indexes: not so many');
  if (count === 0) return [0];
  return Array.from({ length: Number(count) }, () => Number(reader.zigzag()));
}
