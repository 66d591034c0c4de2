import type { Reviver } from '#contracts';
import { apiDepthMax, decodeUtf8, exceedsDepth, readJsonText } from '#contracts';
import type { HeaderValue } from '#events/core';

/** Headers of a record, or the rule that they break. */
type ReadHeaders =
  | { readonly ok: true; readonly value: Readonly<Record<string, HeaderValue>> }
  | { readonly ok: false; readonly detail: string };

type Pair = readonly [name: unknown, value: unknown];

/**
 * The headers of a record as tools write them: an object, kcat's list of names and values in turn, or rpk's list of
 * `{key, value}`. A name may come more than once; a header without a value is `null`.
 */
export function readHeaders(json: unknown): ReadHeaders {
  const pairs = pairsOf(json);
  if (pairs === null) return refuse('must be an object of texts');
  const named = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    if (typeof name !== 'string') return refuse('must have names that are text');
    if (!isHeaderValue(value)) return refuse('must hold nothing but text');
    named.set(name, [...(named.get(name) ?? []), ...textsOf(value)]);
  }
  return { ok: true, value: Object.fromEntries(named) };
}

function refuse(rule: string): ReadHeaders {
  return { ok: false, detail: `headers: ${rule}` };
}

function pairsOf(json: unknown): readonly Pair[] | null {
  if (json === undefined || json === null) return [];
  if (Array.isArray(json)) return listedPairs(json);
  return typeof json === 'object' ? Object.entries(json) : null;
}

function listedPairs(list: readonly unknown[]): readonly Pair[] {
  if (list.every(isKeyValue)) return list.map(({ key, value }) => [key, value] as const);
  const names = list.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name, list[2 * index + 1]] as const);
}

function isKeyValue(member: unknown): member is { readonly key: unknown; readonly value: unknown } {
  return typeof member === 'object' && member !== null && 'key' in member && 'value' in member;
}

type JsonHeader = string | null | undefined | readonly string[];

function isHeaderValue(value: unknown): value is JsonHeader {
  if (value === null || value === undefined) return true;
  return Array.isArray(value) ? value.every(isText) : isText(value);
}

/** Text that UTF-8 can carry. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function textsOf(value: JsonHeader): readonly string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** The Kafka record that a sample stands for. */
export interface SampleRecord {
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  /** `undefined`: the sample is an event alone and does not say. */
  readonly key: string | null | undefined;
  /** The sample as JSON, where it is JSON. */
  readonly json: unknown;
}

type ReadRecord =
  { readonly ok: true; readonly record: SampleRecord } | { readonly ok: false; readonly detail: string };

type JsonObject = Readonly<Record<string, unknown>>;

const structured = { 'content-type': 'application/cloudevents+json' };
/** TypeScript does not know it yet: a text that `JSON.stringify` writes as it stands. Part of Node since 21. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/**
 * Takes a sample for what it is: a record, `{"key", "headers", "value"}` (kcat calls the value `payload`), or an event in
 * structured mode, whose bytes are then the record's value as they are. What is no JSON is left to the decoder, which
 * says why.
 */
export function readRecord(bytes: Uint8Array): ReadRecord {
  const text = decodeUtf8(bytes) ?? '';
  if (exceedsDepth(text, apiDepthMax)) return { ok: false, detail: `nested deeper than ${apiDepthMax}` };
  const json = parseJson(text);
  if (isRecord(json)) return fromRecord(json, text);
  return { ok: true, record: { value: bytes, headers: structured, key: undefined, json } };
}

/** `undefined` for what is no JSON, or deeper than any record around an event. */
export function parseJson(text: string): unknown {
  return readJsonText(text, { depthMax: apiDepthMax, keepsPrototypes: true });
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
  const value = valueBytes(json[name], () => (exactJson(text) as JsonObject)[name]);
  if (typeof value === 'string') return { ok: false, detail: `${name}: ${value}` };
  return { ok: true, record: { value, headers: headers.value, key: keyText(json['key']), json } };
}

/** The bytes of a record's value, or the rule that it breaks. */
function valueBytes(value: unknown, exact: () => unknown): Uint8Array | null | string {
  if (value === null) return null;
  if (typeof value !== 'string') return jsonBytes(exact);
  return value.isWellFormed() ? Buffer.from(value) : 'lone surrogate';
}

const keepNumber: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined ? rawJSON(source) : value;

/** With its numbers as they were written: the daemon refuses those that would lose digits. @throws {SyntaxError} */
export function exactJson(text: string): unknown {
  const json = readJsonText(text, { depthMax: apiDepthMax, revive: keepNumber, keepsPrototypes: true });
  if (json === undefined) throw new SyntaxError('no JSON, or nested too deep');
  return json;
}

function jsonBytes(exact: () => unknown): Uint8Array | string {
  try {
    return Buffer.from(JSON.stringify(exact()));
  } catch {
    return 'nested too deep';
  }
}

function keyText(key: unknown): string | null {
  if (key === undefined || key === null) return null;
  return typeof key === 'string' ? key : JSON.stringify(key);
}
