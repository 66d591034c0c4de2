import { createHmac, hash } from 'node:crypto';

import { secretKey } from './secret-key.js';

/** Bytes kept of a digest: 128 bits, a collision among 10^12 keys has a chance of about 10^-15. */
export const digestBytes = 16;

/** The first 16 bytes of SHA-256 over UTF-8 text. */
export function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, digestBytes);
}

/** The first 16 bytes of HMAC-SHA-256: cannot be guessed without the key, even for known content. */
export function keyedDigest(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', secretKey(key)).update(text).digest().subarray(0, digestBytes);
}
