import type { Readable } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';

import type { Kafka } from 'kafkajs';
import kafkajs from 'kafkajs';

const chunkBytes = 1024 * 1024;

const types = {
  gzip: kafkajs.CompressionTypes.GZIP,
  snappy: kafkajs.CompressionTypes.Snappy,
  lz4: kafkajs.CompressionTypes.LZ4,
  zstd: kafkajs.CompressionTypes.ZSTD,
};

function varint(number: number): Buffer {
  let left = number * 2;
  const bytes: number[] = [];
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80);
  return Buffer.from([...bytes, left]);
}

const noHeaders = Buffer.of(0);
const space = 0x20;

/** What stands before the value of a record of format 2. */
function headOfRecord(valueBytes: number): Buffer {
  const noKey = Buffer.from([1]);
  const head = Buffer.concat([Buffer.from([0, 0, 0]), noKey, varint(valueBytes)]);
  return Buffer.concat([varint(head.length + valueBytes + noHeaders.length), head]);
}

/** One record of spaces as it lies in a batch, piece by piece. */
function* recordOfSpaces(valueBytes: number): Generator<Buffer> {
  yield headOfRecord(valueBytes);
  const chunk = Buffer.alloc(chunkBytes, ' ');
  for (let left = valueBytes; left > 0; left -= chunkBytes) yield chunk.subarray(0, Math.min(left, chunkBytes));
  yield noHeaders;
}

/** Snappy's densest: copies of up to 64 bytes from one back, three bytes each. */
function snappySpaces(valueBytes: number): Buffer {
  const head = headOfRecord(valueBytes);
  const total = head.length + valueBytes + noHeaders.length;
  const length: number[] = [];
  for (let left = total; left > 0; left = Math.floor(left / 0x80)) {
    length.push((left % 0x80) + (left < 0x80 ? 0 : 0x80));
  }
  const literal = (bytes: Buffer): Buffer => Buffer.concat([Buffer.of((bytes.length - 1) << 2), bytes]);
  const [copies, rest] = [Math.floor((valueBytes - 1) / 64), (valueBytes - 1) % 64];
  return Buffer.concat([
    Buffer.from(length),
    literal(Buffer.concat([head, Buffer.of(space)])),
    Buffer.alloc(copies * 3, Buffer.of(0xfe, 1, 0)),
    rest === 0 ? Buffer.alloc(0) : Buffer.of(((rest - 1) << 2) | 2, 1, 0),
    literal(noHeaders),
  ]);
}

/** Blocks of up to 4 MiB that do not depend on each other. */
const lz4Frame = Buffer.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73);
const lz4BlockSpaces = 2 * 1024 * 1024;
/** An encoder ends a block with five literals. */
const lz4LiteralsLast = 5;

function lz4Length(length: number): number[] {
  return length < 15 ? [] : [...Array<number>(Math.floor((length - 15) / 255)).fill(255), (length - 15) % 255];
}

/** So many spaces with something before and behind them: all but a few are one match from one back. */
function lz4Block(before: Buffer, spaces: number, behind: Buffer): Buffer {
  const first = Buffer.concat([before, Buffer.of(space)]);
  const last = Buffer.concat([Buffer.alloc(lz4LiteralsLast - behind.length, space), behind]);
  const match = spaces - 1 - (lz4LiteralsLast - behind.length) - 4;
  const block = Buffer.concat([
    Buffer.from([(Math.min(first.length, 15) << 4) | 15, ...lz4Length(first.length)]),
    first,
    Buffer.from([1, 0, ...lz4Length(match)]),
    Buffer.of(lz4LiteralsLast << 4),
    last,
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(block.length);
  return Buffer.concat([size, block]);
}

function lz4Spaces(valueBytes: number): Buffer {
  const nothing = Buffer.alloc(0);
  const blocks: Buffer[] = [];
  for (let left = valueBytes; left > 0;) {
    const isLast = left < 2 * lz4BlockSpaces;
    const spaces = isLast ? left : lz4BlockSpaces;
    blocks.push(
      lz4Block(left === valueBytes ? headOfRecord(valueBytes) : nothing, spaces, isLast ? noHeaders : nothing),
    );
    left -= spaces;
  }
  return Buffer.concat([lz4Frame, ...blocks, Buffer.alloc(4)]);
}

const compressors = { gzip: createGzip, zstd: createZstdCompress };

/** The compressed records of a batch that holds one record of so many spaces, which is never in memory as a whole. */
export async function compressedSpaces(codec: keyof typeof types, valueBytes: number): Promise<Buffer> {
  if (codec === 'snappy') return snappySpaces(valueBytes);
  if (codec === 'lz4') return lz4Spaces(valueBytes);
  const stream = compressors[codec]();
  const pieces: Buffer[] = [];
  const reading = (async () => {
    for await (const piece of stream as AsyncIterable<Buffer>) pieces.push(piece);
  })();
  for (const piece of recordOfSpaces(valueBytes)) {
    if (!stream.write(piece)) await new Promise((resolve) => (stream as Readable).once('drain', resolve));
  }
  stream.end();
  await reading;
  return Buffer.concat(pieces);
}

interface CraftedBatch {
  readonly topic: string;
  /** 0 by default. */
  readonly partition?: number;
  readonly codec: keyof typeof types;
  readonly payload: Buffer;
}

/**
 * Produces one batch of one record, of which the compressed records are given: framed and checked like any other, and such as
 * no client makes.
 */
export async function sendCompressed(
  kafka: Kafka,
  { topic, partition = 0, codec, payload }: CraftedBatch,
): Promise<void> {
  const codecs = kafkajs.CompressionCodecs as Record<number, () => unknown>;
  const type = types[codec];
  const before = codecs[type];
  codecs[type] = () => ({ compress: () => Promise.resolve(payload) });
  const producer = kafka.producer();
  try {
    await producer.connect();
    await producer.send({ topic, compression: type, messages: [{ partition, value: '' }] });
  } finally {
    if (before !== undefined) codecs[type] = before;
    await producer.disconnect();
  }
}
