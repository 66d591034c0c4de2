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
/** TypeScript does not know it yet: a text that `JSON.stringify` writes as it stands. Part of Node since 21. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Takes a sample for what it is: a record, `{"key", "headers", "value"}` (kcat calls the value `payload`), or an event in
 * structured mode, whose bytes are then the record's value as they are. What is no JSON is left to the decoder, which
 * says why.
 */
export function readRecord(bytes: Uint8Array): ReadRecord {
  const text = textOf(bytes);
  const json = parse(text);
  if (isRecord(json)) return fromRecord(json, text);
  return { ok: true, record: { value: bytes, headers: structured, key: undefined, json } };
}

/** Empty for bytes that are no text. */
function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return '';
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
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

function fromRecord(json: JsonObject, text: string): ReadRecord {
  const headers = readHeaders(json['headers']);
  if (!headers.ok) return headers;
  const name = Object.hasOwn(json, 'value') ? 'value' : 'payload';
  if (!Object.hasOwn(json, name)) return { ok: false, detail: 'value: missing; null stands for a tombstone' };
  const value = valueBytes(json[name], () => exactly(text)[name]);
  if (typeof value === 'string') return { ok: false, detail: `${name}: ${value}` };
  return { ok: true, record: { value, headers: headers.value, key: keyText(json['key']), json } };
}

/** The bytes of a record's value, or the rule that it breaks. */
function valueBytes(value: unknown, exact: () => unknown): Uint8Array | null | string {
  if (value === null) return null;
  if (typeof value !== 'string') return jsonBytes(exact);
  return value.isWellFormed() ? Buffer.from(value) : 'lone surrogate';
}

/** With its numbers as they were written: the daemon refuses those that would lose digits. */
function exactly(text: string): JsonObject {
  const keepNumber = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value;
  return JSON.parse(text, keepNumber) as JsonObject;
}

function jsonBytes(exact: () => unknown): Uint8Array | string {
  try {
    return Buffer.from(JSON.stringify(exact()));
  } catch {
    // Some thousand levels deep: no stack is long enough to write it.
    return 'nested too deep';
  }
}

function keyText(key: unknown): string | null {
  if (key === undefined || key === null) return null;
  return typeof key === 'string' ? key : JSON.stringify(key);
}
