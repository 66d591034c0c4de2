import { rawJson } from '#platform';

import { isJsonObject } from './answer-body.js';
import { refuse } from './planned-request.js';

const jsonNumber = /^-?(?:0|[1-9]\d{0,99})(?:\.\d{1,100})?$/;

/**
 * The object with what stands under these names as JSON numbers, digit for digit: a float would change an id beyond
 * 2^53. What is absent or null stays so.
 * @param path of the object, for refusals
 * @throws InvalidRequest for what is no number of JSON (`007`)
 */
export function withNumbers(object: unknown, names: readonly string[], path: string): unknown {
  if (names.length === 0 || !isJsonObject(object)) return object;
  const numeric = new Set(names);
  const entries = Object.entries(object).map(([name, value]) => [
    name,
    numeric.has(name) ? exactNumber(value, `${path}.${name}`) : value,
  ]);
  return Object.fromEntries(entries) as unknown;
}

function exactNumber(value: unknown, path: string): unknown {
  if (value === null || value === undefined) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return typeof value === 'string' && jsonNumber.test(value) && value !== '-0'
    ? rawJson(value)
    : refuse(path, 'must be a number in this dialect');
}
