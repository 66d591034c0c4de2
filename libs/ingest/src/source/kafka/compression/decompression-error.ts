/** Compressed records that do not decompress: `damaged`, or `oversized`: larger than we are willing to take. */
export class DecompressionError extends Error {
  override readonly name = 'DecompressionError';

  constructor(
    readonly kind: 'damaged' | 'oversized',
    message: string,
  ) {
    super(message);
  }
}
