import kafkajs from 'kafkajs';

import type { Compression } from './decompress.js';
import { decompress } from './decompress.js';

interface Codec {
  compress(encoder: unknown): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

const cannotCompress = (_encoder: unknown): Promise<Buffer> =>
  Promise.reject(new Error('this codec only reads; what we produce is not compressed'));
const gzipOf = kafkajs.CompressionCodecs[kafkajs.CompressionTypes.GZIP] as () => Codec;

/**
 * Teaches KafkaJS the codecs that it lacks, and all of them a limit, for what it still decompresses by itself: record sets
 * of the format before 2. Calling it again changes the limit.
 */
export function registerCodecs(bytesMax: number): void {
  const { CompressionCodecs: codecs, CompressionTypes: types } = kafkajs;
  const bounded =
    (compression: Compression, compress = cannotCompress) =>
    (): Codec => ({
      compress,
      decompress: (bytes) => decompress(compression, bytes, bytesMax),
    });
  codecs[types.GZIP] = bounded('gzip', (encoder) => gzipOf().compress(encoder));
  codecs[types.Snappy] = bounded('snappy');
  codecs[types.LZ4] = bounded('lz4');
  codecs[types.ZSTD] = bounded('zstd');
}
