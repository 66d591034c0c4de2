import { isUtf8 } from 'node:buffer';
import {
  exceedsDepth,
  isExactAsFloat,
  jsonDepthMax,
  readJsonText,
  type Reviver,
  type WalletPass,
  walletPassSchema,
} from '#contracts';
import type { BodyKind } from '#intents/core';
import type { z } from 'zod';
import type { Dialect } from '../dialect/dialect-schema.js';
import type { HttpResult } from './http-exchange.js';

/** As much of an answer as its reading takes; without codings (`decoded`). */
type Answer = Pick<HttpResult, 'body' | 'headers'>;

/** A complete answer's body, read once. `json` is `undefined` unless `kind` is one of the JSON kinds. */
export interface ReadBody {
  readonly kind: Exclude<BodyKind, 'truncated'>;
  readonly text: string;
  readonly json: unknown;
}

export function readBody(answer: Answer): ReadBody {
  const text = bodyText(answer);
  if (text.trim() === '') return { kind: 'empty', text, json: undefined };
  const json = parseJson(text);
  if (json !== undefined) return { kind: isJsonObject(json) ? 'complete-json-object' : 'other-json', text, json };
  return { kind: 'not-json', text: hasWords(text, answer) ? text : '', json };
}

/** Of a coding that could not be undone there are no words, nor of JSON that nests too deep to be read. */
function hasWords(text: string, { headers }: Answer): boolean {
  return headers['content-encoding'] === undefined && !exceedsDepth(text, jsonDepthMax);
}

/**
 * A body, or its beginning, in the charset that it declares. JSON is UTF-8 (RFC 8259), but not every partner's; a byte that
 * fits none becomes U+FFFD, so that the words around it are still read.
 */
export function bodyText({ body, headers }: Answer, bytesMax = body.length): string {
  const part = body.length > bytesMax ? body.subarray(0, bytesMax) : body;
  const charset = charsetOf(body, headers['content-type']);
  return charset === 'utf-8' ? withoutByteOrderMark(part.toString('utf8')) : new TextDecoder(charset).decode(part);
}

/**
 * What a body is written in: as its first bytes show, as declared, or, where it cannot be that, most likely. One that is
 * UTF-8 without fault is so under any label of Latin script: servers put a default label there.
 */
function charsetOf(body: Buffer, contentType = ''): string {
  const unicode = unicodeShown(body);
  if (unicode !== null) return unicode;
  const declared = encodingOf(/;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]);
  if (declared !== 'utf-8' && !LATIN.has(declared)) return declared;
  if (isUtf8(body)) return 'utf-8';
  if (declared !== 'utf-8') return declared;
  // Where some characters are good UTF-8, a byte is broken; where none is, it is the other charset that is in use.
  return /[^\p{ASCII}\uFFFD]/u.test(body.toString('utf8')) ? 'utf-8' : 'windows-1252';
}

const LATIN: ReadonlySet<string> = new Set(['windows-1252', 'iso-8859-15']);

/** By a byte order mark, or by where the zeros of the first character, which is ASCII, stand. */
function unicodeShown(body: Buffer): string | null {
  if (body.length < 2) return null;
  const [first, second] = [body.readUInt8(0), body.readUInt8(1)];
  if (body.readUInt16BE(0) === 0xfeff || (first === 0 && second > 0)) return 'utf-16be';
  return body.readUInt16LE(0) === 0xfeff || (second === 0 && first > 0) ? 'utf-16le' : null;
}

/** The encoding behind a label; UTF-8 where the label is unknown. */
function encodingOf(label: string | undefined): string {
  if (label === undefined || /^utf-?8$/i.test(label)) return 'utf-8';
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return 'utf-8';
  }
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Fewer digits than this always fit into a float exactly. */
const LONG_NUMBER = /\d[\d.]{15}/;

/**
 * JSON with exact numbers: one that a float would change (an id beyond 2^53, a long amount) becomes the text it was
 * written with. Other numbers are read as usual. What nests deeper than `jsonDepthMax` is no answer of any partner: what
 * compares, copies and keeps it later walks it by calling itself.
 * @returns `undefined` for what is no JSON, or nests too deep
 */
export function parseJson(text: string): unknown {
  // A reviver costs ten times the parse; hardly any answer holds a long number.
  return readJsonText(text, { revive: LONG_NUMBER.test(text) ? keepExact : undefined });
}

const keepExact: Reviver = (_key, value, { source }) =>
  typeof value !== 'number' || source === undefined || isExactAsFloat(source) ? value : source;

/** An answer as far as it could be read, and the paths of documented fields that were missing or mistyped. */
export interface ReadShape<Value> {
  readonly value: Partial<Value>;
  readonly alarms: readonly string[];
}

/** Reads an answer's object by its documented shape; what does not fit is left out and reported, never an error. */
export function readShape<Value>(schema: z.ZodType<Value>, json: Readonly<Record<string, unknown>>): ReadShape<Value> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data, alarms: [] };
  const value = structuredClone(json);
  const paths = parsed.error.issues.map(({ path }) => path);
  for (const path of paths) removeAt(value, path);
  return { value: value as Partial<Value>, alarms: [...new Set(paths.map((path) => path.join('.')))] };
}

function removeAt(root: unknown, path: readonly PropertyKey[]): void {
  const leaf = path.at(-1);
  const holder = path.slice(0, -1).reduce<unknown>((at, key) => (isHolder(at) ? at[key] : undefined), root);
  if (leaf !== undefined && isHolder(holder)) Reflect.deleteProperty(holder, leaf);
}

function isHolder(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A WalletPass as it was answered; a status whose number is not the dialect's raises an alarm. */
export function readPass(answer: Readonly<Record<string, unknown>>, dialect: Dialect): ReadShape<WalletPass> {
  const { value: read, alarms } = readShape(walletPassSchema, answer);
  // A word of ours, whatever the partner may mean by it.
  const { isDead: _theirs, ...pass } = read;
  const value: WalletPass = isDeadPass(answer, dialect) ? { ...pass, isDead: true } : pass;
  return { value, alarms: isStatusOdd(value, dialect) ? [...alarms, 'status'] : alarms };
}

/** Whether the status of a pass is that of no card any more. */
export function isDeadPass(
  { statusCode, status }: Readonly<Record<string, unknown>>,
  { status: { dead } }: Dialect,
): boolean {
  return [statusCode, status].some((said) => {
    const text = typeof said === 'number' ? String(said) : said;
    return typeof text === 'string' && dead.some((code) => code.toLowerCase() === text.trim().toLowerCase());
  });
}

function isStatusOdd({ statusCode, status }: WalletPass, { status: { numbers } }: Dialect): boolean {
  if (typeof statusCode !== 'string' || typeof status !== 'number') return false;
  return Object.hasOwn(numbers, statusCode) && numbers[statusCode] !== status;
}
