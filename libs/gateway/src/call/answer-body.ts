import { isUtf8 } from 'node:buffer';
import { isExactAsFloat, type WalletPass, walletPassSchema } from '#contracts';
import type { BodyKind } from '#domain';
import type { z } from 'zod';
import type { Dialect } from '../dialect/dialect-schema.js';

/** A complete answer's body, read once. `json` is `undefined` unless `kind` is one of the JSON kinds. */
export interface ReadBody {
  readonly kind: Exclude<BodyKind, 'truncated'>;
  readonly text: string;
  readonly json: unknown;
}

export function readBody(bytes: Buffer): ReadBody {
  const text = withoutByteOrderMark(bytes.toString('utf8'));
  if (text.trim() === '') return { kind: 'empty', text, json: undefined };
  if (!isUtf8(bytes)) return { kind: 'not-json', text, json: undefined };
  try {
    const json = parseJson(text);
    return { kind: isJsonObject(json) ? 'complete-json-object' : 'other-json', text, json };
  } catch {
    return { kind: 'not-json', text, json: undefined };
  }
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

interface ReviverContext {
  readonly source?: string;
}

/** Fewer digits than this always fit into a float exactly. */
const LONG_NUMBER = /\d[\d.]{15}/;

/**
 * JSON.parse that keeps numbers exact: one that a float would change (an id beyond 2^53, a long amount) becomes the
 * text it was written with. Other numbers are read as usual.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  // A reviver costs ten times the parse; hardly any answer holds a long number.
  return (LONG_NUMBER.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text)) as unknown;
}

function keepExact(_key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number') return value;
  const source = context?.source;
  return source === undefined || isExactAsFloat(source) ? value : source;
}

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
  const shape = readShape(walletPassSchema, answer);
  return isStatusOdd(shape.value, dialect) ? { ...shape, alarms: [...shape.alarms, 'status'] } : shape;
}

function isStatusOdd({ statusCode, status }: WalletPass, { status: { numbers } }: Dialect): boolean {
  if (typeof statusCode !== 'string' || typeof status !== 'number') return false;
  return Object.hasOwn(numbers, statusCode) && numbers[statusCode] !== status;
}
