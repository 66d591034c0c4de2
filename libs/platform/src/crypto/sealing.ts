import { createCipheriv, createDecipheriv } from 'node:crypto';

import { ToldError } from '../errors/told-error.js';
import type { Random } from '../random/random.js';
import { secretKey } from './secret-key.js';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Thrown when sealed bytes do not open: another key, another context, or damaged. */
export class SealBrokenError extends ToldError {
  override readonly name: string = 'SealBrokenError';

  constructor(cause?: unknown) {
    super('sealed bytes do not open with this key and context', { cause });
  }
}

export interface SealRequest {
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly plain: Uint8Array | string;
  /** Bound to the ciphertext but not stored in it: the sealed bytes open only beside the same context. */
  readonly context: Uint8Array;
}

/** AES-256-GCM; the result is iv (12 bytes), tag (16 bytes), ciphertext. */
export function seal(request: SealRequest, random: Random): Buffer {
  const iv = random.bytes(ivBytes);
  const cipher = createCipheriv(algorithm, secretKey(request.key), iv);
  cipher.setAAD(request.context);
  const body = typeof request.plain === 'string' ? cipher.update(request.plain, 'utf8') : cipher.update(request.plain);
  cipher.final();
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

/** @throws {SealBrokenError} when key or context differ or a byte has changed. */
export function unseal(request: {
  readonly key: Uint8Array;
  readonly sealed: Uint8Array;
  readonly context: Uint8Array;
}): Buffer {
  const { key, sealed, context } = request;
  if (sealed.length < ivBytes + tagBytes) throw new SealBrokenError();
  try {
    const decipher = createDecipheriv(algorithm, secretKey(key), sealed.subarray(0, ivBytes));
    decipher.setAAD(context);
    decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
    const plain = decipher.update(sealed.subarray(ivBytes + tagBytes));
    decipher.final();
    return plain;
  } catch (error) {
    throw new SealBrokenError(error);
  }
}
