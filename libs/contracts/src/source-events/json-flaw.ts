import { losesDigits } from './lossy-numbers.js';

const backslash = 0x5c;
const quote = 1;
const opening = 2;
const closing = 3;
const digit = 4;
const withinNumber = 5;

/** What an ASCII character means outside of strings; 0: nothing. */
const kinds = kindsOf({ '"': quote, '[{': opening, ']}': closing, '0123456789': digit, '.eE+-': withinNumber });

/** Why JSON text is not taken although it can be parsed. */
export type JsonFlaw = 'too-deep' | 'loses-digits';

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
      if (losesDigits(text.slice(start, at + 1))) flaw = 'loses-digits';
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

/** Its last character: digits, point, exponent. */
function endOfNumber(text: string, start: number): number {
  let end = start;
  while ((kinds[text.charCodeAt(end + 1)] ?? 0) >= digit) end += 1;
  return end;
}
