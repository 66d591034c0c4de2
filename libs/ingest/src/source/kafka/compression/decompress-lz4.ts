import { ByteReader } from './byte-reader.js';
import { DecompressionError } from './decompression-error.js';
import type { GrowingBuffer } from './growing-buffer.js';

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
export function decompressLz4(bytes: Buffer, output: GrowingBuffer): void {
  const reader = new ByteReader(bytes);
  if (reader.uintLE(4) !== magic) throw new DecompressionError('damaged', 'not an LZ4 frame');
  const hasBlockChecksums = readDescriptor(reader);
  for (let size = reader.uintLE(4); size !== 0; size = reader.uintLE(4)) {
    if (size >= rawBlock) output.append(reader.take(size - rawBlock));
    else decompressBlock(new ByteReader(reader.take(size)), output);
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
function decompressBlock(reader: ByteReader, output: GrowingBuffer): void {
  while (!reader.isAtEnd()) {
    const token = reader.byte();
    output.append(reader.take(readLength(reader, token >> 4)));
    if (reader.isAtEnd()) return;
    const distance = reader.uintLE(2);
    output.repeat(distance, readLength(reader, token & 0x0f) + matchLengthMin);
  }
}

/** Fifteen means that more follows, in bytes of which all but the last are 255. */
function readLength(reader: ByteReader, nibble: number): number {
  let length = nibble;
  if (nibble < 15) return length;
  for (let byte = 255; byte === 255;) {
    byte = reader.byte();
    length += byte;
  }
  return length;
}
