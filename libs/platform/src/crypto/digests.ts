import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

/** Bytes kept of a digest: 128 bits, a collision among 10^12 keys has a chance of about 10^-15. */
export const digestBytes = 16;

/** Of SHA-256. */
const blockBytes = 64;
const hashBytes = 32;
/** Longer texts are rare, and digested by Node's own HMAC. */
const scratchBytes = 16_384;
/** UTF-8 takes at most so many bytes per UTF-16 unit. */
const utf8BytesMax = 3;

/** The two keyed blocks of HMAC (RFC 2104), each with room for what it is hashed with. */
interface PaddedKey {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const paddedKeys = new WeakMap<Uint8Array, PaddedKey>();
const secretKeys = new WeakMap<Uint8Array, KeyObject>();

/**
 * The first 16 bytes of SHA-256 over UTF-8 text. As text first: a Buffer made by the crypto library costs 1 us more than
 * one that is cut from Node's pool (measured on Node 24: 1.6 us instead of 0.6).
 */
export function digest(text: string): Buffer {
  return shortened(hash('sha256', text, 'binary'));
}

/**
 * The first 16 bytes of HMAC-SHA-256: cannot be guessed without the key, even for known content. Put together from two
 * one-shot hashes: a Hmac object costs three times as much (measured on Node 24: 3.0 us instead of 1.1).
 */
export function keyedDigest(key: Uint8Array, text: string): Buffer {
  if (key.length > blockBytes || text.length * utf8BytesMax > scratchBytes) {
    return shortened(createHmac('sha256', secretKey(key)).update(text).digest('binary'));
  }
  const { inner, outer } = paddedKey(key);
  const written = inner.write(text, blockBytes, 'utf8');
  outer.write(hash('sha256', inner.subarray(0, blockBytes + written), 'binary'), blockBytes, 'latin1');
  return shortened(hash('sha256', outer, 'binary'));
}

/** The same digest of a text that comes in parts: together they may be longer than a text can be. */
export function keyedDigestOf(key: Uint8Array, parts: Iterable<string>): Buffer {
  const hmac = createHmac('sha256', secretKey(key));
  for (const part of parts) hmac.update(part);
  return shortened(hmac.digest('binary'));
}

function paddedKey(key: Uint8Array): PaddedKey {
  const known = paddedKeys.get(key);
  if (known !== undefined) return known;
  const inner = Buffer.alloc(blockBytes + scratchBytes);
  const outer = Buffer.alloc(blockBytes + hashBytes);
  for (let at = 0; at < blockBytes; at += 1) {
    inner[at] = (key[at] ?? 0) ^ 0x36;
    outer[at] = (key[at] ?? 0) ^ 0x5c;
  }
  const padded = { inner, outer };
  paddedKeys.set(key, padded);
  return padded;
}

function shortened(binary: string): Buffer {
  return Buffer.from(binary.slice(0, digestBytes), 'latin1');
}

/** A key as Node wants it, made once per key: handing over the bytes each time costs 8 us a call (measured on Node 24). The bytes must not change afterwards. */
function secretKey(bytes: Uint8Array): KeyObject {
  const known = secretKeys.get(bytes);
  if (known !== undefined) return known;
  const key = createSecretKey(bytes);
  secretKeys.set(bytes, key);
  return key;
}
