import { jsonNumber } from './exact-number.js';
import {
  decodeUtf8,
  endOfNumber,
  endOfString,
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

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [minus, zero, nine] = [0x2d, 0x30, 0x39];
/** `[` and `{`, `]` and `}`: this bit apart. */
const [openBracket, closeBracket, braceBit] = [0x5b, 0x5d, 0x20];

function isNumberStart(code: number): boolean {
  return (code >= zero && code <= nine) || code === minus;
}

/**
 * The text with each number in quotes, or why it is refused. A number in the place of a name would become one, so that is looked
 * for here; whatever else is wrong stays wrong, and the parser finds it.
 */
function withQuotedNumbers(text: string): { readonly quoted: string } | { readonly refused: string } {
  let quoted = '';
  let copied = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (isNumberStart(code)) {
      const end = endOfNumber(text, at) + 1;
      const number = text.slice(at, end);
      if (!jsonNumber.test(number) || isName(text, end)) return { refused: 'not JSON' };
      quoted += `${text.slice(copied, at)}"${number}"`;
      copied = end;
      at = end - 1;
    } else depth += depthChange(code);
    if (depth > jsonDepthMax) return { refused: `nested deeper than ${jsonDepthMax}` };
  }
  return { quoted: quoted + text.slice(copied) };
}

function depthChange(code: number): number {
  const bracket = code & ~braceBit;
  if (bracket === openBracket) return 1;
  return bracket === closeBracket ? -1 : 0;
}

const afterNumber = /[ \t\r\n]*(.?)/y;

function isName(text: string, at: number): boolean {
  const next = text.charCodeAt(at);
  if (next === comma) return false;
  if (next === colon) return true;
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
  const read = withQuotedNumbers(text);
  if ('refused' in read) return refuse(read.refused);
  const { quoted } = read;
  try {
    const value = parseTame(quoted) as ExactJson;
    return mayHoldSurrogate.test(quoted) && !isWellFormed(value) ? refuse('lone surrogate') : { ok: true, value };
  } catch {
    return refuse('not JSON');
  }
}
