import { z } from 'zod';

import type { EncryptionKey } from './environment.js';
import { guessableKey } from './guessable-secrets.js';
import { listSchema, type VariableReader } from './variables.js';

const keyBytes = 32;
/** What the transit engine of Vault and OpenBao makes of a key. */
const wrappedPattern = /^vault:v\d{1,9}:[\w+/-]+={0,2}$/;
/** Far more than 32 bytes ever come to. */
const wrappedCharsMax = 1_000;

const isZero = (key: EncryptionKey): boolean => key instanceof Uint8Array && key.every((byte) => byte === 0);

const keysSchema = listSchema
  .transform((items, context) => {
    const keys = items.map(readKey);
    if (keys.length > 0 && keys.every((key) => key !== null)) return keys;
    context.addIssue(
      `must be base64 of ${keyBytes} bytes, or wrapped by Vault (vault:v1:...); several separated by commas`,
    );
    return z.NEVER;
  })
  .refine((keys) => !keys.some(isZero), { error: 'must be random: head -c 32 /dev/urandom | base64' });

function readKey(text: string): EncryptionKey | null {
  if (wrappedPattern.test(text)) return text.length <= wrappedCharsMax ? { wrapped: text } : null;
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return null;
  // Buffer reads both base64 alphabets.
  const bytes = Buffer.from(text, 'base64');
  return bytes.byteLength === keyBytes ? new Uint8Array(bytes) : null;
}

/** `LOYALTYD_ENCRYPTION_KEY`. */
export function readEncryptionKeys(variables: VariableReader, isRequired: boolean): readonly EncryptionKey[] | null {
  const name = 'LOYALTYD_ENCRYPTION_KEY';
  const secret = isRequired ? variables.requiredSecret(name) : variables.secret(name);
  if (secret === null) return null;
  const parsed = keysSchema.safeParse(secret.value);
  if (parsed.success) return parsed.data;
  return variables.fail(name, parsed.error.issues[0]?.message ?? 'invalid');
}

/**
 * Why a key that was wrapped cannot be used, or null: what is refused as text is refused as well where nobody could read it.
 * Whoever wrapped such a key has not had it made.
 */
export function unwrappedKeyProblem(key: Uint8Array): string | null {
  if (key.length !== keyBytes) return `is not ${keyBytes} bytes`;
  const guessable = guessableKey(key);
  if (guessable === null) return null;
  return guessable === 'published' ? 'is the one that this repository shows to everybody' : `is ${guessable}`;
}
