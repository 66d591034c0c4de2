import { isExactAsFloat } from '../partner/exact-number.js';

/** No number of so many characters is changed by a float, unless it has an exponent. */
const exactCharsMax = 15;
/** Longer than any number that a float tells. */
const floatCharsMax = 400;

const hasExponent = /e/i;
/** Something before the exponent is not zero. */
const isNotZero = /^-?[0.]*[1-9]/;

/** Marks the place of such a number while its path is looked for. */
const lost = Symbol('lost');

/**
 * Whether a number of JSON text would be another one here and at the partner: whole numbers beyond 2^53 that a float
 * cannot tell, and what is too large or too small for any. Fractions are kept to 15 digits, as everywhere in JSON.
 */
export function losesDigits(source: string): boolean {
  if (source.length <= exactCharsMax && !hasExponent.test(source)) return false;
  const value = Math.abs(Number(source));
  if (value <= Number.MAX_SAFE_INTEGER) return value === 0 && isNotZero.test(source);
  return source.length > floatCharsMax || !isExactAsFloat(source);
}

/** Where such numbers stand in JSON text, so many at most. Slow: a reviver costs ten times the parse. */
export function lossyPaths(text: string, countMax: number): PropertyKey[][] {
  const found: PropertyKey[][] = [];
  const collect = (value: unknown, path: readonly PropertyKey[]): void => {
    if (found.length === countMax) return;
    if (value === lost) found.push([...path]);
    if (Array.isArray(value)) value.forEach((member, index) => collect(member, [...path, index]));
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) collect(member, [...path, key]);
    }
  };
  collect(JSON.parse(text, markLost), []);
  return found;
}

function markLost(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number') return value;
  return losesDigits(context?.source ?? '') ? lost : value;
}
