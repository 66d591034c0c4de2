import type { HeaderValue } from '#contracts';

/** Headers of a record, or the rule that they break. */
export type ReadHeaders =
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
