import { createReadStream } from 'node:fs';

import type { CutOff, RawSample } from './split-samples.js';
import {
  ArrayLayout,
  isSpace,
  JsonCursor,
  sampleBytesMax,
  splitJson,
  splitLines,
  ValuesLayout,
} from './split-samples.js';

/** A file that cannot be read; the message says why and goes behind the file's name. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

const wordings: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EISDIR: 'is a directory',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
};

/** @returns what the system said, in words */
export function asFileProblem(error: unknown): FileProblem {
  const code = (error as { readonly code?: unknown } | null)?.code;
  if (typeof code !== 'string') return new FileProblem('cannot be read', { cause: error });
  return new FileProblem(wordings[code] ?? `cannot be read (${code})`, { cause: error });
}

const utf8Mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** How files begin that are no UTF-8 text. */
const foreign: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe], 'is UTF-16; save it as UTF-8'],
  [[0xfe, 0xff], 'is UTF-16; save it as UTF-8'],
  [[0x1f, 0x8b], 'is compressed by gzip; unpack it first'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'is compressed by zstd; unpack it first'],
  [[0x50, 0x4b, 0x03, 0x04], 'is a zip archive; unpack it first'],
];

/** So many bytes tell what a file is. */
const markBytesMax = 4;

/** The first bytes of a text without its byte order mark. @throws {FileProblem} for what is not UTF-8 by its first bytes */
function withoutMark(bytes: Buffer): Buffer {
  for (const [start, problem] of foreign) {
    if (bytes.subarray(0, start.length).equals(Buffer.from(start))) throw new FileProblem(problem);
  }
  return bytes.subarray(0, utf8Mark.length).equals(utf8Mark) ? bytes.subarray(utf8Mark.length) : bytes;
}

/** `lines`: a sample per line. `values`: one value or several, each over any number of lines. `array`: its members. */
type Format = 'lines' | 'values' | 'array';

/** What is known of an input before its format is. */
interface InputHead {
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
function decideFormat(head: InputHead): Format | null {
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

/** What stands for standard input in place of a file's name. */
export const standardInput = '-';

/** What is read from a file: its samples, and whether it was cut off. */
export type ReadPart = RawSample | CutOff;

/**
 * The samples of one file as they are read, however long it is; its format is decided by its beginning. A sample that
 * cannot be read is a sample still: the rest goes on.
 * @throws {FileProblem} when there is no such file, or no text in it
 */
export async function* readSamples(name: string, stdin: AsyncIterable<Buffer>): AsyncGenerator<ReadPart, void> {
  const chunks = bytesOf(name, stdin);
  try {
    const { bytes, format } = await beginning(name, chunks);
    yield* split(format, followedBy(bytes, chunks));
  } finally {
    await chunks.return();
  }
}

async function* bytesOf(name: string, stdin: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    yield* name === standardInput ? stdin : (createReadStream(name) as AsyncIterable<Buffer>);
  } catch (error) {
    throw asFileProblem(error);
  }
}

interface Beginning {
  readonly bytes: Buffer;
  readonly format: Format;
}

/** Reads until the format is known. @throws {FileProblem} */
async function beginning(name: string, chunks: AsyncGenerator<Buffer, void>): Promise<Beginning> {
  let read: Buffer = Buffer.alloc(0);
  for (;;) {
    const next = await chunks.next();
    const isAll = next.done === true;
    if (!isAll) read = Buffer.concat([read, next.value]);
    if (!isAll && read.length < markBytesMax) continue;
    const bytes = withoutMark(read);
    const format = decideFormat({ name, bytes, isAll });
    if (format !== null) return { bytes, format };
  }
}

/** Not by `yield*`: the generator is closed by whoever opened it. */
async function* followedBy(first: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

function split(format: Format, chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadPart, void> {
  switch (format) {
    case 'lines':
      return splitLines(chunks);
    case 'values':
      return splitJson(chunks, new ValuesLayout());
    case 'array':
      return splitJson(chunks, new ArrayLayout());
  }
}
