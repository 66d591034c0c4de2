import { createReadStream } from 'node:fs';

import { decideFormat, type Format } from './decide-format.js';
import { asFileProblem, markBytesMax, withoutMark } from './file-problem.js';
import { ArrayLayout, ValuesLayout } from './json-layout.js';
import type { RawSample } from './raw-sample.js';
import { type CutOff, splitJson } from './split-json.js';
import { splitLines } from './split-lines.js';

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
