import type { SendAs } from '#contracts';
import { isRawJson } from '#platform';

import { refuseRequest } from '../requests/read-request.js';

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJson(value);
}

/** A JSON merge patch (RFC 7396): objects are merged, null removes, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  // fromEntries defines own properties: a name such as __proto__ stays a name.
  return Object.fromEntries(merged);
}

const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The text of a number as it is written. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return isRawJson(value) ? JSON.stringify(value) : null;
}

function asText(value: unknown): string {
  return textOf(value) ?? refuseRequest('sendAs.path: what is there is neither a text nor a number');
}

const zerosAtEnd = /(?:\.0+|(\.\d*[1-9])0+)$/;

/** Only what stays the same: `007` and what has more digits than a number keeps would be another value. */
function asNumber(value: unknown): number {
  const text = asText(value);
  const number = Number(text);
  const isExact = numberPattern.test(text) && String(number) === text.replace(zerosAtEnd, '$1');
  return isExact ? number : refuseRequest('sendAs.path: what is there is no number that would stay the same');
}

/** The names on the way to a field; one that has dots itself is found as it is. Null: there is no such field. */
function pathIn(document: unknown, path: string): readonly string[] | null {
  if (!isObject(document)) return null;
  if (Object.hasOwn(document, path)) return [path];
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    const below = Object.hasOwn(document, name) ? pathIn(document[name], path.slice(dot + 1)) : null;
    if (below !== null) return [name, ...below];
  }
  return null;
}

const memberOf = (document: unknown, name: string): unknown => (document as Json)[name];

/**
 * The merge patch by which a field of a document is sent as a text, or as a number.
 * @throws {ApiProblem} where there is no such field, or its value would be another one
 */
export function patchAs(document: unknown, { path, as }: SendAs): Json {
  const names = pathIn(document, path) ?? refuseRequest('sendAs.path: there is no such field');
  const value = names.reduce(memberOf, document);
  const sent = as === 'text' ? asText(value) : asNumber(value);
  return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), sent) as Json;
}
