import type { HeaderValue } from '#contracts';

import { readHeaders } from './record-headers.js';

/** The Kafka record that a sample stands for. */
export interface SampleRecord {
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  /** `undefined`: the sample is an event alone and does not say. */
  readonly key: string | null | undefined;
  /** The sample as JSON, where it is JSON. */
  readonly json: unknown;
}

export type ReadRecord =
  { readonly ok: true; readonly record: SampleRecord } | { readonly ok: false; readonly detail: string };

type JsonObject = Readonly<Record<string, unknown>>;

const structured = { 'content-type': 'application/cloudevents+json' };
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Takes a sample for what it is: a record, `{"key", "headers", "value"}` (kcat calls the value `payload`), or an event in
 * structured mode, whose bytes are then the record's value as they are. What is no JSON is left to the decoder, which
 * says why.
 */
export function readRecord(bytes: Uint8Array): ReadRecord {
  const json = parse(bytes);
  if (isRecord(json)) return fromRecord(json);
  return { ok: true, record: { value: bytes, headers: structured, key: undefined, json } };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

export function isObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function isRecord(json: unknown): json is JsonObject {
  if (!isObject(json) || Object.hasOwn(json, 'specversion')) return false;
  return ['value', 'payload', 'headers'].some((name) => Object.hasOwn(json, name));
}

function fromRecord(json: JsonObject): ReadRecord {
  const headers = readHeaders(json['headers']);
  if (!headers.ok) return headers;
  const name = Object.hasOwn(json, 'value') ? 'value' : 'payload';
  if (!Object.hasOwn(json, name)) return { ok: false, detail: 'value: missing; null stands for a tombstone' };
  const value = valueBytes(json[name]);
  if (typeof value === 'string') return { ok: false, detail: `${name}: ${value}` };
  return { ok: true, record: { value, headers: headers.value, key: keyText(json['key']), json } };
}

/** The bytes of a record's value, or the rule that it breaks. */
function valueBytes(value: unknown): Uint8Array | null | string {
  if (value === null) return null;
  if (typeof value !== 'string') return jsonBytes(value);
  return value.isWellFormed() ? Buffer.from(value) : 'lone surrogate';
}

function jsonBytes(value: unknown): Uint8Array | string {
  try {
    return Buffer.from(JSON.stringify(value));
  } catch {
    // Some thousand levels deep: no stack is long enough to write it.
    return 'nested too deep';
  }
}

function keyText(key: unknown): string | null {
  if (key === undefined || key === null) return null;
  return typeof key === 'string' ? key : JSON.stringify(key);
}
