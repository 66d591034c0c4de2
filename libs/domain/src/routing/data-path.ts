import type { JsonValue } from './partner-command.js';

/** What lies at a path of an event's data; `undefined` when nothing does. Inherited properties do not count. */
export function valueAt(data: object, path: readonly string[]): JsonValue | undefined {
  let value: unknown = data;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  // Events are read from JSON and nothing else (decodeSourceRecord of #contracts).
  return value as JsonValue | undefined;
}

/** True for `undefined`, `null` and `''`: a till's three ways to say that there is nothing. */
export function isAbsent(value: JsonValue | undefined): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

export function isScalar(value: JsonValue): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** `null` is how a shop says that it does not know: absent on the wire. */
export function orAbsent<Value>(value: Value | null | undefined): Value | undefined {
  return value ?? undefined;
}

/** Drops what has no value, so that absent stays absent on the wire and in the canonical text. */
export function compact<Value extends object>(value: {
  [Key in keyof Value]: Value[Key] | undefined;
}): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value;
}
