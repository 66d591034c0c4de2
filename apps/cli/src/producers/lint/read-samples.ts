import { createReadStream } from 'node:fs';

import { exactJson } from './read-record.js';

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
  if (error instanceof FileProblem) return error;
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

/** What stands for standard input in place of a file's name. */
export const standardInput = '-';

/** Longest file, which is in memory while its samples are judged. */
export const fileBytesMax = 256 * 1024 * 1024;

/** All of a file, or of standard input. @throws {FileProblem} */
export async function fileBytes(name: string, stdin: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    const chunks = name === standardInput ? stdin : (createReadStream(name) as AsyncIterable<Buffer>);
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length > fileBytesMax) throw new FileProblem(`is longer than ${fileBytesMax} bytes; split it`);
      pieces.push(chunk);
    }
  } catch (error) {
    throw asFileProblem(error);
  }
  return Buffer.concat(pieces, length);
}

/** The text without its byte order mark. @throws {FileProblem} for what is not UTF-8 by its first bytes */
function withoutMark(bytes: Buffer): Buffer {
  for (const [start, problem] of foreign) {
    if (bytes.subarray(0, start.length).equals(Buffer.from(start))) throw new FileProblem(problem);
  }
  return bytes.subarray(0, utf8Mark.length).equals(utf8Mark) ? bytes.subarray(utf8Mark.length) : bytes;
}

/** One sample. */
export interface Sample {
  /** The line at which it begins; of an array the number of the member. From 1. */
  readonly line: number;
  readonly bytes: Buffer;
}

const newline = 0x0a;
const arrayStart = 0x5b;
const objectStart = 0x7b;
const lineNames = /\.(?:ndjson|jsonl)$/i;
/** By its name: a sample to a line. */
export function isLineFile(name: string): boolean {
  return lineNames.test(name);
}

const isBlank = (line: Buffer): boolean => line.toString('latin1').trim() === '';

function* lines(bytes: Buffer): Generator<Sample, void> {
  let start = 0;
  for (let line = 1; start < bytes.length; line += 1) {
    const found = bytes.indexOf(newline, start);
    const end = found === -1 ? bytes.length : found;
    const piece = bytes.subarray(start, end);
    if (!isBlank(piece)) yield { line, bytes: piece };
    start = end + 1;
  }
}

/** However deep: nothing is made of it here. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The members of an array, with their numbers as they were written; null for what is none, or too deep. */
function members(bytes: Buffer): readonly Sample[] | null {
  try {
    const list = exactJson(bytes.toString()) as readonly unknown[];
    return list.map((member, index) => ({ line: index + 1, bytes: Buffer.from(JSON.stringify(member)) }));
  } catch {
    return null;
  }
}

/**
 * The samples of one file: JSON lines where its name or its first line says so, else one object or the members of one
 * array. A sample that is no JSON is a sample still: the decoder says what is wrong with it, and the next one is read.
 * @throws {FileProblem} when there is no such file, no text in it, or more than `fileBytesMax`
 */
export async function readSamples(name: string, stdin: AsyncIterable<Buffer>): Promise<Iterable<Sample>> {
  const bytes = withoutMark(await fileBytes(name, stdin));
  const first = lines(bytes).next().value;
  if (first === undefined) return [];
  const begins = first.bytes.toString('latin1').trimStart().charCodeAt(0);
  if (begins === arrayStart && !lineNames.test(name)) return members(bytes) ?? [{ line: first.line, bytes }];
  const isOneObject = begins === objectStart && !isJson(first.bytes.toString());
  return isOneObject && !lineNames.test(name) ? [{ line: first.line, bytes }] : lines(bytes);
}
