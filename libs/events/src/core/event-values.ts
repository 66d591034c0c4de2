import type { AttributeSource } from '#contracts';
import type { JsonObject, JsonValue } from '#intents/core';

import type { Money } from './source-event.js';

/** What lies at a path of an event's data; `undefined` when nothing does. Inherited properties do not count. */
export function valueAt(data: object, path: readonly string[]): JsonValue | undefined {
  let value: unknown = data;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  // Events are read from JSON and nothing else (decodeSourceRecord).
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
  const kept: Partial<Value> = {};
  for (const key of Object.keys(value) as (keyof Value)[]) {
    if (value[key] !== undefined) kept[key] = value[key];
  }
  return kept as Value;
}

export type Mapped<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly detail: string };

interface AttributeMapping {
  readonly sources: Readonly<Record<string, AttributeSource>>;
  readonly data: object;
  /** As the event writes it. */
  readonly time: string;
  /** The attribute that must not be missing even if its source is not marked as required. */
  readonly uniqueAttribute?: string | null;
}

/** The partner's attributes, each from its source. Absent: omitted, or `invalid` where it is required. */
export function mapAttributes({ sources, data, time, uniqueAttribute = null }: AttributeMapping): Mapped<JsonObject> {
  const attributes: [string, Scalar][] = [];
  for (const [name, source] of Object.entries(sources)) {
    const found = valueOf(source, data, time);
    if (found.kind === 'value') attributes.push([name, found.value]);
    else if (found.kind === 'not-scalar') return refuse(found.path, `must be text, a number or a boolean for ${name}`);
    else if (isRequired(source) || name === uniqueAttribute) return refuse(found.path, `required by ${name}`);
  }
  return { ok: true, value: Object.fromEntries(attributes) };
}

type Scalar = string | number | boolean;

type Found =
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'absent' | 'not-scalar'; readonly path: readonly string[] };

function isRequired(source: AttributeSource): boolean {
  return 'required' in source && source.required;
}

function valueOf(source: AttributeSource, data: object, time: string): Found {
  switch (source.kind) {
    case 'value':
      return source;
    case 'local':
      return { kind: 'value', value: localTime(time)[source.part] };
    case 'path':
      return scalarAt(data, source.path);
    case 'join': {
      const parts: string[] = [];
      for (const path of source.paths) {
        const part = scalarAt(data, path);
        if (part.kind !== 'value') return part;
        parts.push(String(part.value));
      }
      return { kind: 'value', value: joinParts(parts, source.separator) };
    }
    default:
      return source satisfies never;
  }
}

const fullTime = /^(\d{4}-\d\d-\d\d).(\d\d:\d\d:\d\d)/;

/** What the clock on the wall showed: RFC 3339 writes it, and beside it how far that is from UTC. */
function localTime(time: string): { readonly date: string; readonly time: string; readonly dateTime: string } {
  const [, date = '', clock = ''] = fullTime.exec(time) ?? [];
  return { date, time: clock, dateTime: `${date}T${clock}` };
}

/** How far the till's clock is from UTC, `+01:00`; undefined where it writes UTC. */
export function offsetOf(time: string): string | undefined {
  if (time.endsWith('Z')) return undefined;
  const [offset] = /[+-]\d\d:\d\d$/.exec(time) ?? [];
  return offset === undefined || offset.endsWith('00:00') ? undefined : offset;
}

/** Different parts never give the same text: `a-1` and `2` are `a%2D1-2`, `a` and `1-2` are `a-1%2D2`. */
export function joinParts(parts: readonly string[], separator: string): string {
  const escaped = `%${separator.charCodeAt(0).toString(16).toUpperCase()}`;
  return parts.map((part) => part.replaceAll('%', '%25').replaceAll(separator, escaped)).join(separator);
}

function scalarAt(data: object, path: readonly string[]): Found {
  const value = valueAt(data, path);
  if (isAbsent(value)) return { kind: 'absent', path };
  return isScalar(value) ? { kind: 'value', value } : { kind: 'not-scalar', path };
}

function refuse(path: readonly string[], rule: string): { readonly ok: false; readonly detail: string } {
  return { ok: false, detail: `data.${path.join('.')}: ${rule}` };
}

/** ISO 4217 minor units, where they are not 2; those of withdrawn currencies as they were. */
const digitsByCurrency = new Map<string, number>([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'ADP BEF BYB BYR ESP GRD ITL LUF MGF PTE TPE TRL'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
]);

/** How many minor digits a currency has when the event does not say. */
export function currencyDigits(currency: string): number {
  return digitsByCurrency.get(currency) ?? 2;
}

/**
 * `sign x minor / 10^digits` as exact decimal text with all its digits, `-59.90`; never through a float, and zero has
 * no sign.
 */
export function amountText({ minor, currency, digits }: Money, sign: 1 | -1): string {
  const places = digits ?? currencyDigits(currency);
  const text = String(minor).padStart(places + 1, '0');
  const whole = text.slice(0, text.length - places);
  const fraction = places === 0 ? '' : `.${text.slice(-places)}`;
  return `${sign === -1 && minor !== 0 ? '-' : ''}${whole}${fraction}`;
}
