import sodium from 'sodium-native';

import { SafeError } from '../errors.js';
import type { Random } from '../random.js';
import type { SealContext } from './seal-context.js';

/** How the rest is sealed: another way has another number, and both can be told apart. */
const version = 1;
const nonceStart = 1;
/** So many random bytes never come twice: a key may seal without end, and nobody counts. */
const nonceBytes = 24;
const tagBytes = 16;
const cipherStart = nonceStart + nonceBytes;

/** Thrown when sealed bytes do not open: another key, another context, or damaged. */
export class SealBrokenError extends SafeError {
  override readonly name: string = 'SealBrokenError';

  constructor(cause?: unknown) {
    super('sealed bytes do not open with this key and context', { cause });
  }
}

interface SealRequest {
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly plain: Uint8Array | string;
  /** Bound to the ciphertext but not stored in it: the sealed bytes open only beside the same context. */
  readonly context: SealContext;
}

/** XChaCha20-Poly1305; the result is version (1 byte), nonce (24 bytes), ciphertext, tag (16 bytes). */
export function seal({ key, plain, context }: SealRequest, random: Random): Buffer {
  const length = typeof plain === 'string' ? Buffer.byteLength(plain) : plain.length;
  const sealed = Buffer.allocUnsafe(cipherStart + length + tagBytes);
  sealed[0] = version;
  const nonce = random.bytes(nonceBytes);
  sealed.set(nonce, nonceStart);
  // Encrypted where it stands: the text is not copied a second time.
  if (typeof plain === 'string') sealed.write(plain, cipherStart);
  else sealed.set(plain, cipherStart);
  const cipher = sealed.subarray(cipherStart);
  sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(cipher, cipher.subarray(0, length), context, null, nonce, key);
  return sealed;
}

/** @throws {SealBrokenError} when key or context differ or a byte has changed. */
export function unseal(request: {
  readonly key: Uint8Array;
  readonly sealed: Uint8Array;
  readonly context: SealContext;
}): Buffer {
  const { key, sealed, context } = request;
  const length = sealed.length - cipherStart - tagBytes;
  if (length < 0 || sealed[0] !== version) throw new SealBrokenError();
  const plain = Buffer.allocUnsafe(length);
  const nonce = sealed.subarray(nonceStart, cipherStart);
  try {
    sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(plain, null, sealed.subarray(cipherStart), context, nonce, key);
  } catch (error) {
    throw new SealBrokenError(error);
  }
  return plain;
}
