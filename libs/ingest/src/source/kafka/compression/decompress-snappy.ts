import { ByteReader } from './byte-reader.js';
import { DecompressionError } from './decompression-error.js';
import type { GrowingBuffer } from './growing-buffer.js';

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
export function decompressSnappy(bytes: Buffer, output: GrowingBuffer): void {
  if (!bytes.subarray(0, javaMagic.length).equals(javaMagic)) {
    decompressBlock(bytes, output);
    return;
  }
  const reader = new ByteReader(bytes);
  reader.take(javaHeaderBytes);
  while (!reader.isAtEnd()) decompressBlock(reader.take(reader.uint32BE()), output);
}

function decompressBlock(bytes: Buffer, output: GrowingBuffer): void {
  const reader = new ByteReader(bytes);
  const end = output.length + readLength(reader);
  output.beginBlock();
  while (!reader.isAtEnd() && output.length <= end) readElement(reader, output);
  if (output.length !== end) throw new DecompressionError('damaged', 'another length than announced');
}

/** A varint: seven bits a byte, the lowest first. */
function readLength(reader: ByteReader): number {
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
