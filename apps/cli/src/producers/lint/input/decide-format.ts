import { JsonCursor } from './json-cursor.js';
import { isSpace, sampleBytesMax } from './raw-sample.js';

/** `lines`: a sample per line. `values`: one value or several, each over any number of lines. `array`: its members. */
export type Format = 'lines' | 'values' | 'array';

/** What is known of an input before its format is. */
export interface InputHead {
  readonly name: string;
  /** The first bytes, without a byte order mark. */
  readonly bytes: Buffer;
  /** There are no more. */
  readonly isAll: boolean;
}

const newline = 0x0a;
const arrayStart = 0x5b;
const objectStart = 0x7b;
const lineNames = /\.(?:ndjson|jsonl)$/i;

/**
 * The format of one input, by its name and its first line; `null` when more bytes must be seen. A first line that is a
 * value by itself is the first of many lines; one that leaves something open begins a value that goes on.
 */
export function decideFormat(head: InputHead): Format | null {
  const { name, bytes } = head;
  const start = bytes.findIndex((byte) => !isSpace(byte));
  if (start === -1) return isEnough(head) ? 'lines' : null;
  if (lineNames.test(name)) return 'lines';
  if (bytes[start] === arrayStart) return 'array';
  return bytes[start] === objectStart ? formatOfObjects(head, start) : 'lines';
}

function isEnough({ bytes, isAll }: InputHead): boolean {
  return isAll || bytes.length > sampleBytesMax;
}

function formatOfObjects(head: InputHead, start: number): Format | null {
  const end = head.bytes.indexOf(newline, start);
  if (end === -1) return isEnough(head) ? 'values' : null;
  return isWhole(head.bytes.subarray(start, end)) ? 'lines' : 'values';
}

function isWhole(line: Buffer): boolean {
  const cursor = new JsonCursor();
  for (const byte of line) cursor.step(byte);
  return cursor.isOutside;
}
