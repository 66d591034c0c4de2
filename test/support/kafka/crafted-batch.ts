import type { Readable } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';

import type { Kafka } from 'kafkajs';
import kafkajs from 'kafkajs';

const chunkBytes = 1024 * 1024;

function varint(number: number): Buffer {
  let left = number * 2;
  const bytes: number[] = [];
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80);
  return Buffer.from([...bytes, left]);
}

/** One record of spaces as it lies in a batch of format 2, piece by piece. */
function* recordOfSpaces(valueBytes: number): Generator<Buffer> {
  const noKey = Buffer.from([1]);
  const head = Buffer.concat([Buffer.from([0, 0, 0]), noKey, varint(valueBytes)]);
  const noHeaders = Buffer.from([0]);
  yield Buffer.concat([varint(head.length + valueBytes + noHeaders.length), head]);
  const chunk = Buffer.alloc(chunkBytes, ' ');
  for (let left = valueBytes; left > 0; left -= chunkBytes) yield chunk.subarray(0, Math.min(left, chunkBytes));
  yield noHeaders;
}

const compressors = { gzip: createGzip, zstd: createZstdCompress };

/** The compressed records of a batch that holds one record of so many spaces, which is never in memory as a whole. */
export async function compressedSpaces(codec: keyof typeof compressors, valueBytes: number): Promise<Buffer> {
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

const types = {
  gzip: kafkajs.CompressionTypes.GZIP,
  snappy: kafkajs.CompressionTypes.Snappy,
  lz4: kafkajs.CompressionTypes.LZ4,
  zstd: kafkajs.CompressionTypes.ZSTD,
};

/**
 * Produces one batch of one record to partition 0, of which the compressed records are given: framed and checked like any
 * other, and such as no client makes.
 */
export async function sendCompressed(
  kafka: Kafka,
  { topic, codec, payload }: { readonly topic: string; readonly codec: keyof typeof types; readonly payload: Buffer },
): Promise<void> {
  const codecs = kafkajs.CompressionCodecs as Record<number, () => unknown>;
  const type = types[codec];
  const before = codecs[type];
  codecs[type] = () => ({ compress: () => Promise.resolve(payload) });
  const producer = kafka.producer();
  try {
    await producer.connect();
    await producer.send({ topic, compression: type, messages: [{ partition: 0, value: '' }] });
  } finally {
    if (before !== undefined) codecs[type] = before;
    await producer.disconnect();
  }
}
