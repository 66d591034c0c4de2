import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import type { Transform } from 'node:stream';

import { decompressLz4 } from './decompress-lz4.js';
import { decompressSnappy } from './decompress-snappy.js';
import { DecompressionError } from './decompression-error.js';
import { GrowingBuffer } from './growing-buffer.js';

export type Compression = 'gzip' | 'snappy' | 'lz4' | 'zstd';

/** Text of sales and members shrinks to about a quarter. */
const ratioHint = 4;
/** Whatever is larger is measured before it is kept. */
const measuredFromBytes = 8 * 1024 * 1024;
/** How much zlib hands over at once. */
const chunkSize = 64 * 1024;
/**
 * The largest window that a frame may ask for: 128 MiB, zstd's own default and more than its strongest level uses. Of a
 * window no more is touched than is decompressed.
 */
const zstdWindowLogMax = 27;

async function through(stream: Transform, bytes: Buffer, output: GrowingBuffer): Promise<void> {
  stream.end(bytes);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) output.append(chunk);
  } catch (error) {
    if (error instanceof DecompressionError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new DecompressionError('damaged', code ?? 'cannot be decompressed');
  }
}

async function decompressInto(compression: Compression, bytes: Buffer, output: GrowingBuffer): Promise<void> {
  switch (compression) {
    case 'gzip':
      return through(createGunzip({ chunkSize }), bytes, output);
    case 'zstd': {
      const params = { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax };
      return through(createZstdDecompress({ chunkSize, params }), bytes, output);
    }
    case 'snappy':
      decompressSnappy(bytes, output);
      return;
    case 'lz4':
      decompressLz4(bytes, output);
      return;
    default:
      return compression satisfies never;
  }
}

let last: Promise<unknown> = Promise.resolve();

/** One after the other in the whole process, so that no two are large at the same time. */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const turn = last.then(work);
  last = turn.catch(() => undefined);
  return turn;
}

async function attempt(compression: Compression, bytes: Buffer, output: GrowingBuffer): Promise<GrowingBuffer> {
  try {
    await decompressInto(compression, bytes, output);
    return output;
  } catch (error) {
    output.letGo();
    throw error;
  }
}

/**
 * Decompresses what producers send, up to a limit. What turns out to be large is only measured at first, and decompressed once
 * more when it is known to be within the limit: what is beyond it never takes memory.
 * @throws {DecompressionError}
 */
export async function decompress(compression: Compression, bytes: Buffer, bytesMax: number): Promise<Buffer> {
  return inTurn(async () => {
    const limits = { bytesMax, keptBytesMax: measuredFromBytes };
    const first = await attempt(compression, bytes, new GrowingBuffer(bytes.length * ratioHint, limits));
    if (first.isWhole) return first.take();
    const { length } = first;
    return (await attempt(compression, bytes, new GrowingBuffer(length, { bytesMax: length }))).take();
  });
}
