import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';

import kafkajs from 'kafkajs';

import { decompressLz4 } from './decompress-lz4.js';
import { decompressSnappy } from './decompress-snappy.js';
import { decompressedBytesMax } from './decompression-error.js';

const unzstd = promisify(zstdDecompress);

interface Codec {
  compress(): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

function readOnly(decompress: (bytes: Buffer) => Buffer | Promise<Buffer>): () => Codec {
  return () => ({
    compress: () => Promise.reject(new Error('this codec only reads; what we produce is not compressed')),
    decompress: async (bytes) => decompress(bytes),
  });
}

/**
 * Teaches KafkaJS the codecs it lacks: by itself it reads gzip only, and stops for good at a topic whose producer
 * chose another one. Reading is all that is needed here. Calling it again changes nothing.
 */
export function registerCodecs(): void {
  const { CompressionCodecs: codecs, CompressionTypes: types } = kafkajs;
  codecs[types.Snappy] = readOnly(decompressSnappy);
  codecs[types.LZ4] = readOnly(decompressLz4);
  codecs[types.ZSTD] = readOnly((bytes) => unzstd(bytes, { maxOutputLength: decompressedBytesMax }));
}
