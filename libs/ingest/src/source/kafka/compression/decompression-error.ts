/** Compressed records that do not decompress: damaged, or larger than we are willing to take. */
export class DecompressionError extends Error {
  override readonly name = 'DecompressionError';
}

/** What one compressed record batch may grow to. Brokers take 1 MiB compressed by default. */
export const decompressedBytesMax = 256 * 1024 * 1024;
