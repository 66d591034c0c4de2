import { z } from 'zod';

/** Longest identifier accepted, in UTF-16 units. Identifiers are stored in the clear and indexed. */
export const identifierLengthMax = 256;

/** Longest `source` accepted: a URI-reference may carry a path. */
export const sourceLengthMax = 1024;

// Postgres text cannot hold NUL, and logs and headers must not be broken up by what a till sends.
const controlCharacter = /\p{Cc}/u;

/** True for text that can be a key: not empty, no control characters. Lone surrogates are refused when JSON is read. */
export function isPrintable(text: string): boolean {
  return !controlCharacter.test(text);
}

/** A till's or shop's own number for a thing: text, 1..256, no control characters. Compared byte for byte. */
export const identifierSchema = z
  .string()
  .min(1)
  .max(identifierLengthMax)
  .refine(isPrintable, { error: 'control characters are not allowed' });

/** An identifier that may be missing: absent, `null` and `''` all mean that there is none. */
export const optionalIdentifierSchema = z.union([identifierSchema, z.literal('')]).nullish();
