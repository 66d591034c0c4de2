import { describedIssuesMax, isExactAsFloat } from '#contracts';

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
function losesDigits(source: string): boolean {
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

const backslash = 0x5c;
const quote = 1;
const opening = 2;
const closing = 3;
const digit = 4;
const withinNumber = 5;

/** What an ASCII character means outside of strings; 0: nothing. */
const kinds = kindsOf({ '"': quote, '[{': opening, ']}': closing, '0123456789': digit, '.eE+-': withinNumber });

/** Why JSON text is not taken although it can be parsed. */
type JsonFlaw = 'too-deep' | 'loses-digits';

/**
 * Whether JSON text nests deeper than `depthMax`, or else holds a number that loses digits, told without parsing it. One
 * pass, no recursion; text that is not JSON may get any answer, the parser refuses it anyway.
 */
export function jsonFlaw(text: string, depthMax: number): JsonFlaw | null {
  let depth = 0;
  let flaw: JsonFlaw | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const kind = kinds[text.charCodeAt(at)];
    if (kind === quote) at = endOfString(text, at);
    else if (kind === opening) depth += 1;
    else if (kind === closing) depth -= 1;
    else if (kind === digit) {
      const start = at;
      at = endOfNumber(text, start);
      if (mayLoseDigits(text, start, at) && losesDigits(text.slice(start, at + 1))) flaw = 'loses-digits';
    }
    if (depth > depthMax) return 'too-deep';
  }
  return flaw;
}

/** Whether JSON text nests deeper than `depthMax`. */
export function exceedsDepth(text: string, depthMax: number): boolean {
  return jsonFlaw(text, depthMax) === 'too-deep';
}

function kindsOf(characters: Readonly<Record<string, number>>): Uint8Array {
  const table = new Uint8Array(128);
  for (const [some, kind] of Object.entries(characters)) {
    for (const character of some) table[character.charCodeAt(0)] = kind;
  }
  return table;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first -= 1;
  return (at - first) % 2 === 1;
}

const upperE = 0x45;
/** Apart from a lower-case letter. */
const caseBit = 0x20;

/** Most numbers are short and plain: no text of their own is made of them. */
function mayLoseDigits(text: string, start: number, end: number): boolean {
  if (end - start >= exactCharsMax) return true;
  for (let at = start; at <= end; at += 1) {
    if ((text.charCodeAt(at) & ~caseBit) === upperE) return true;
  }
  return false;
}

/** Its last character: digits, point, exponent. */
function endOfNumber(text: string, start: number): number {
  let end = start;
  while ((kinds[text.charCodeAt(end + 1)] ?? 0) >= digit) end += 1;
  return end;
}

/** Largest record value read (contracts.md section 1). */
export const recordBytesMax = 1024 * 1024;

/** Deepest nesting read; every recursive walk over an event is bounded by it. */
export const jsonDepthMax = 64;

type ReadJson =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Where numbers stand that are not the ones that were sent; only the first of them. */
      readonly lossy: readonly (readonly PropertyKey[])[];
    }
  | { readonly ok: false; readonly detail: string };

const none: readonly (readonly PropertyKey[])[] = [];
const utf8 = new TextDecoder('utf-8', { fatal: true });
const needsTaming = /__proto__|\\u(?:005[fF]|[dD][89a-fA-F])/;

/**
 * Bytes to a JSON value: strict UTF-8, bounded in size and depth. Of a key that comes twice the last counts, as
 * everywhere in ECMAScript; keys named `__proto__` are dropped, so that no later copy can reach a prototype.
 */
export function readJson(bytes: Uint8Array): ReadJson {
  if (bytes.byteLength > recordBytesMax) return refuse(`larger than ${recordBytesMax} bytes`);
  const text = decodeUtf8(bytes);
  if (text === null) return refuse('invalid UTF-8');
  const flaw = jsonFlaw(text, jsonDepthMax);
  if (flaw === 'too-deep') return refuse(`nested deeper than ${jsonDepthMax}`);
  try {
    const value: unknown = JSON.parse(text);
    if (needsTaming.test(text) && !tame(value)) return refuse('lone surrogate');
    return { ok: true, value, lossy: flaw === null ? none : lossyPaths(text, describedIssuesMax) };
  } catch {
    return refuse('not JSON');
  }
}

/** Strict: `null` for anything that is not well-formed UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function refuse(detail: string): ReadJson {
  return { ok: false, detail };
}

/** Drops `__proto__` keys in place; false when some text holds a lone surrogate, which no UTF-8 can carry. */
function tame(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && tame(member));
}
