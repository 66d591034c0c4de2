import type { Transform } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { ByteReader, DecompressionError, GrowingBuffer } from './buffers.js';

const magic = 0x184d2204;
const flags = { blockChecksum: 0x10, contentSize: 0x08, dictionary: 0x01 };
const rawBlock = 0x80000000;
const checksumBytes = 4;
const contentSizeBytes = 8;
const dictionaryIdBytes = 4;
const matchLengthMin = 4;

/**
 * LZ4's frame format as Kafka's producers send it. Checksums are not read: the record batch has its own.
 * Format: https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 * @throws {DecompressionError}
 */
function decompressLz4(bytes: Buffer, output: GrowingBuffer): void {
  const reader = new ByteReader(bytes);
  if (reader.uintLE(4) !== magic) throw new DecompressionError('damaged', 'not an LZ4 frame');
  const hasBlockChecksums = readDescriptor(reader);
  for (let size = reader.uintLE(4); size !== 0; size = reader.uintLE(4)) {
    if (size >= rawBlock) output.append(reader.take(size - rawBlock));
    else decompressLz4Block(new ByteReader(reader.take(size)), output);
    if (hasBlockChecksums) reader.take(checksumBytes);
  }
}

function readDescriptor(reader: ByteReader): boolean {
  const set = reader.byte();
  reader.byte();
  if ((set & flags.contentSize) !== 0) reader.take(contentSizeBytes);
  if ((set & flags.dictionary) !== 0) reader.take(dictionaryIdBytes);
  reader.byte();
  return (set & flags.blockChecksum) !== 0;
}

/** Sequences of literals and a match; the last one has literals only. */
function decompressLz4Block(reader: ByteReader, output: GrowingBuffer): void {
  while (!reader.isAtEnd()) {
    const token = reader.byte();
    output.append(reader.take(readLz4Length(reader, token >> 4)));
    if (reader.isAtEnd()) return;
    const distance = reader.uintLE(2);
    output.repeat(distance, readLz4Length(reader, token & 0x0f) + matchLengthMin);
  }
}

/** Fifteen means that more follows, in bytes of which all but the last are 255. */
function readLz4Length(reader: ByteReader, nibble: number): number {
  let length = nibble;
  if (nibble < 15) return length;
  for (let byte = 255; byte === 255;) {
    byte = reader.byte();
    length += byte;
  }
  return length;
}

/** The framing of Java's producers: magic, two versions, then blocks with their lengths in front. */
const javaMagic = Buffer.from('\u0082SNAPPY\u0000', 'latin1');
const javaHeaderBytes = 16;

const lengthShift = 7;
const lengthShiftMax = 28;

/**
 * Snappy as producers send it: raw blocks (librdkafka), or Java's framing around them.
 * Format: https://github.com/google/snappy/blob/main/format_description.txt
 * @throws {DecompressionError}
 */
function decompressSnappy(bytes: Buffer, output: GrowingBuffer): void {
  if (!bytes.subarray(0, javaMagic.length).equals(javaMagic)) {
    decompressSnappyBlock(bytes, output);
    return;
  }
  const reader = new ByteReader(bytes);
  reader.take(javaHeaderBytes);
  while (!reader.isAtEnd()) decompressSnappyBlock(reader.take(reader.uint32BE()), output);
}

function decompressSnappyBlock(bytes: Buffer, output: GrowingBuffer): void {
  const reader = new ByteReader(bytes);
  const end = output.length + readSnappyLength(reader);
  output.beginBlock();
  while (!reader.isAtEnd() && output.length <= end) readElement(reader, output);
  if (output.length !== end) throw new DecompressionError('damaged', 'another length than announced');
}

/** A varint: seven bits a byte, the lowest first. */
function readSnappyLength(reader: ByteReader): number {
  let length = 0;
  for (let shift = 0; shift <= lengthShiftMax; shift += lengthShift) {
    const byte = reader.byte();
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return length;
  }
  throw new DecompressionError('damaged', 'no length');
}

/** A literal or a copy; the low two bits of the tag tell which. */
function readElement(reader: ByteReader, output: GrowingBuffer): void {
  const tag = reader.byte();
  const upper = tag >> 2;
  switch (tag & 3) {
    case 0:
      output.append(reader.take(upper < 60 ? upper + 1 : reader.uintLE(upper - 59) + 1));
      return;
    case 1:
      output.repeat((upper >> 3) * 256 + reader.byte(), (upper & 7) + 4);
      return;
    case 2:
      output.repeat(reader.uintLE(2), upper + 1);
      return;
    default:
      output.repeat(reader.uintLE(4), upper + 1);
  }
}

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

/** One after the other in the whole process. */
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
 * more when it is known to be within the limit: what is beyond it never takes memory, and no two that are large are in memory
 * together.
 * @param use takes out what is wanted, at once; afterwards the next one may come
 * @throws {DecompressionError}
 */
export async function decompress<Result>(
  compression: Compression,
  bytes: Buffer,
  bytesMax: number,
  use: (payload: Buffer) => Result,
): Promise<Result> {
  return inTurn(async () => {
    const limits = { bytesMax, keptBytesMax: measuredFromBytes };
    const first = await attempt(compression, bytes, new GrowingBuffer(bytes.length * ratioHint, limits));
    if (first.isWhole) return use(first.take());
    const { length } = first;
    return use((await attempt(compression, bytes, new GrowingBuffer(length, { bytesMax: length }))).take());
  });
}
