import { jsonNumber } from './exact-number.js';
import {
  decodeUtf8,
  endOfNumber,
  endOfString,
  exceedsDepth,
  isWellFormed,
  jsonDepthMax,
  mayHoldSurrogate,
  parseTame,
  recordBytesMax,
} from './read-json.js';

/** JSON with each number as the text that was sent. */
export type ExactJson = null | boolean | string | readonly ExactJson[] | { readonly [name: string]: ExactJson };

export type ReadExactJson =
  { readonly ok: true; readonly value: ExactJson } | { readonly ok: false; readonly detail: string };

/** A number begins by one of them, and nothing else that JSON has outside of text does. */
const beginsNumber = /["\-0-9]/g;
const afterNumber = /[ \t\r\n]*(.?)/y;

/**
 * The text with each number in quotes; null where it is no JSON. A number in the place of a name would become one, so that is
 * looked for here; whatever else is wrong stays wrong, and the parser finds it.
 */
function withQuotedNumbers(text: string): string | null {
  const parts: string[] = [];
  let copied = 0;
  beginsNumber.lastIndex = 0;
  for (let found = beginsNumber.exec(text); found !== null; found = beginsNumber.exec(text)) {
    const { index: start } = found;
    const isText = found[0] === '"';
    const end = isText ? endOfString(text, start) : endOfNumber(text, start);
    if (!isText) {
      const number = text.slice(start, end + 1);
      if (!jsonNumber.test(number) || isName(text, end + 1)) return null;
      parts.push(text.slice(copied, start), '"', number, '"');
      copied = end + 1;
    }
    beginsNumber.lastIndex = end + 1;
  }
  parts.push(text.slice(copied));
  return parts.join('');
}

function isName(text: string, at: number): boolean {
  afterNumber.lastIndex = at;
  return afterNumber.exec(text)?.[1] === ':';
}

function refuse(detail: string): ReadExactJson {
  return { ok: false, detail };
}

/** As `readJson` reads bytes, but each number is the very text that was sent. @param bytesMax default `recordBytesMax` */
export function readExactJson(bytes: Uint8Array, bytesMax = recordBytesMax): ReadExactJson {
  if (bytes.byteLength > bytesMax) return refuse(`larger than ${bytesMax} bytes`);
  const text = decodeUtf8(bytes);
  return text === null ? refuse('invalid UTF-8') : readExactJsonText(text);
}

/** The same of text whose length is bounded by whoever has it. */
export function readExactJsonText(text: string): ReadExactJson {
  if (exceedsDepth(text, jsonDepthMax)) return refuse(`nested deeper than ${jsonDepthMax}`);
  const quoted = withQuotedNumbers(text);
  if (quoted === null) return refuse('not JSON');
  try {
    const value = parseTame(quoted) as ExactJson;
    return mayHoldSurrogate.test(quoted) && !isWellFormed(value) ? refuse('lone surrogate') : { ok: true, value };
  } catch {
    return refuse('not JSON');
  }
}
