import { isExactAsFloat } from './exact-number.js';

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

/** Of text in quotes that begins at `start`: where its last quote stands. */
export function endOfString(text: string, start: number): number {
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
export function endOfNumber(text: string, start: number): number {
  let end = start;
  while ((kinds[text.charCodeAt(end + 1)] ?? 0) >= digit) end += 1;
  return end;
}

/** Largest record value read (contracts.md section 1). */
export const recordBytesMax = 1024 * 1024;

/** Deepest nesting read of anything from outside; every recursive walk over it is bounded by it. */
export const jsonDepthMax = 64;

/** The same of a request to the operations API, and of its answers: they hold whole events. */
export const apiDepthMax = 2 * jsonDepthMax;

/** So many places are named of numbers that lose digits. */
const lossyPathsMax = 10;

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
/** By itself, or with one of its letters escaped. */
const mayNamePrototype = /__proto__|\\u00(?:5[fF]|6[fF]|7[024])/;
export const mayHoldSurrogate = /\\u[dD][89a-fA-F]/;

/**
 * Bytes to a JSON value: strict UTF-8, bounded in size and depth. Of a key that comes twice the last counts, as
 * everywhere in ECMAScript; keys named `__proto__` are dropped, so that no later copy can reach a prototype.
 * @param bytesMax default `recordBytesMax`
 */
export function readJson(bytes: Uint8Array, bytesMax = recordBytesMax): ReadJson {
  if (bytes.byteLength > bytesMax) return refuse(`larger than ${bytesMax} bytes`);
  const text = decodeUtf8(bytes);
  if (text === null) return refuse('invalid UTF-8');
  const flaw = jsonFlaw(text, jsonDepthMax);
  if (flaw === 'too-deep') return refuse(`nested deeper than ${jsonDepthMax}`);
  try {
    const value = parseTame(text);
    if (mayHoldSurrogate.test(text) && !isWellFormed(value)) return refuse('lone surrogate');
    return { ok: true, value, lossy: flaw === null ? none : lossyPaths(text, lossyPathsMax) };
  } catch {
    return refuse('not JSON');
  }
}

/** As `JSON.parse` calls it. */
export type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

interface TextLimits {
  /** Default `jsonDepthMax`. */
  readonly depthMax?: number;
  /** Called for every value, which costs ten times the parse. */
  readonly revive?: Reviver | undefined;
  /** Keys named `__proto__` stay: what is read is looked at and written again, and never copied. */
  readonly keepsPrototypes?: boolean;
}

/**
 * Text that somebody else has written to a JSON value, bounded in depth like `readJson`; the text itself is bounded by whoever
 * has received it. @returns `undefined` for what is no JSON, or nests too deep
 */
export function readJsonText(
  text: string,
  { depthMax = jsonDepthMax, revive, keepsPrototypes = false }: TextLimits = {},
): unknown {
  if (exceedsDepth(text, depthMax)) return undefined;
  try {
    return keepsPrototypes ? parse(text, revive) : parseTame(text, revive);
  } catch {
    return undefined;
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

/** Whether a value nests deeper than `depthMax`, told without recursion; one that holds itself does. */
export function nestsDeeper(value: unknown, depthMax: number): boolean {
  const left: { readonly at: unknown; readonly depth: number }[] = [{ at: value, depth: 0 }];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    const { at, depth } = place;
    if (typeof at !== 'object' || at === null) continue;
    if (depth === depthMax) return true;
    for (const member of Object.values(at)) left.push({ at: member, depth: depth + 1 });
  }
  return false;
}

function refuse(detail: string): ReadJson {
  return { ok: false, detail };
}

const parse = JSON.parse as (text: string, revive?: Reviver) => unknown;

/** Of text whose depth is bounded. @throws {SyntaxError} */
export function parseTame(text: string, revive?: Reviver): unknown {
  const value = parse(text, revive);
  if (mayNamePrototype.test(text)) dropPrototypes(value);
  return value;
}

function dropPrototypes(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  Object.values(value).forEach(dropPrototypes);
}

/** False where some text holds a lone surrogate, which no UTF-8 can carry. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
}
