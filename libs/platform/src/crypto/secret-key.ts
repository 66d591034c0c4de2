import type { KeyObject } from 'node:crypto';
import { createSecretKey } from 'node:crypto';

const known = new WeakMap<Uint8Array, KeyObject>();

/**
 * A key as Node wants it, made once per key: handing over the bytes each time costs 8 us a call on Node 24 (measured:
 * HMAC 9.5 us instead of 2.0, AES-256-GCM 13.2 instead of 4.0). The bytes must not change afterwards.
 */
export function secretKey(bytes: Uint8Array): KeyObject {
  const existing = known.get(bytes);
  if (existing !== undefined) return existing;
  const key = createSecretKey(bytes);
  known.set(bytes, key);
  return key;
}
