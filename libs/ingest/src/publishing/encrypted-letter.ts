import type { KeyObject } from 'node:crypto';
import { createPrivateKey, createPublicKey } from 'node:crypto';

import { compactDecrypt, CompactEncrypt } from 'jose';

import { SafeError } from '#platform';

/** What a dead letter says besides the record. */
interface LetterHead {
  readonly quarantineId: number;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Set: it stands for all records of a batch up to this one. */
  readonly lastOffset: number | null;
  readonly reason: string;
  readonly detail: string;
}

interface LetterContent {
  readonly head: LetterHead;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /** JSON text of the original headers. */
  readonly headersText: string;
  /** Key, value and headers are left out. */
  readonly isTruncated: boolean;
}

const contentEncryption = 'A256GCM';
const rsaBitsMin = 2_048;
const curves = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
const rule = `must be an RSA key of ${rsaBitsMin} bits or more, or one on P-256, P-384, P-521 or X25519`;

/** How a key is made for such a key (RFC 7518 section 4.1); null: it is of no use. */
function keyManagementOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | null {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'rsa') return modulusLength < rsaBitsMin ? null : 'RSA-OAEP-256';
  if (asymmetricKeyType === 'x25519') return 'ECDH-ES';
  return asymmetricKeyType === 'ec' && curves.has(namedCurve) ? 'ECDH-ES' : null;
}

interface Encryption {
  readonly key: KeyObject;
  readonly alg: string;
}

function encryptionOf(name: string, read: () => KeyObject): Encryption {
  let key: KeyObject;
  try {
    key = read();
  } catch {
    throw new SafeError(`${name}: cannot be read as PEM`);
  }
  const alg = keyManagementOf(key);
  if (alg === null) throw new SafeError(`${name}: ${rule}`);
  return { key, alg };
}

/** @throws {SafeError} where letters cannot be encrypted to such a key */
export function encryptionFor(publicKey: string): Encryption {
  return encryptionOf('DEAD_LETTER_PUBLIC_KEY', () => createPublicKey(publicKey));
}

/** A JWE in compact form (RFC 7516): of one line of JSON, and the value as it arrived behind it. */
export async function encryptLetter(content: LetterContent, publicKey: string): Promise<string> {
  const { key, alg } = encryptionFor(publicKey);
  const { head, value, headersText, isTruncated } = content;
  const line = {
    ...head,
    ...{ isTruncated, key: content.key === null ? null : Buffer.from(content.key).toString('base64') },
    ...{ headers: JSON.parse(headersText) as unknown, valueBytes: value?.byteLength ?? null },
  };
  const plain = Buffer.concat([Buffer.from(`${JSON.stringify(line)}\n`), value ?? Buffer.alloc(0)]);
  return new CompactEncrypt(plain).setProtectedHeader({ alg, enc: contentEncryption }).encrypt(key);
}

/** A dead letter that was encrypted, as it was before. */
export interface OpenedLetter extends LetterHead {
  readonly isTruncated: boolean;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /** As source records carry them; bytes that are no UTF-8 as `{ base64 }`. */
  readonly headers: Readonly<Record<string, unknown>>;
}

type Line = Omit<OpenedLetter, 'key' | 'value'> & { readonly key: string | null; readonly valueBytes: number | null };

/**
 * Opens dead letters with the private key, in PEM.
 * @returns opens one, the value of a message of the topic; null where it is no letter for this key
 * @throws {SafeError} where the key is of no use
 */
export function letterOpener(privateKey: string): (letter: string) => Promise<OpenedLetter | null> {
  const { key, alg } = encryptionOf('the private key', () => createPrivateKey(privateKey));
  const options = { keyManagementAlgorithms: [alg], contentEncryptionAlgorithms: [contentEncryption] };
  return async (letter) => {
    let plain: Buffer;
    try {
      plain = Buffer.from((await compactDecrypt(letter, key, options)).plaintext);
    } catch {
      return null;
    }
    const end = plain.indexOf('\n');
    const { valueBytes, key: keyText, ...line } = JSON.parse(plain.subarray(0, end).toString('utf8')) as Line;
    return {
      ...line,
      key: keyText === null ? null : Buffer.from(keyText, 'base64'),
      value: valueBytes === null ? null : plain.subarray(end + 1),
    };
  };
}
