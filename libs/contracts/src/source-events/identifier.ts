import { z } from 'zod';

/** Longest identifier accepted, in UTF-16 units. Identifiers are stored in the clear and indexed. */
export const identifierLengthMax = 256;

// Postgres text cannot hold NUL, and logs and headers must not be broken up by what a till sends.
const controlCharacter = /\p{Cc}/u;

/** True for text without control characters. Lone surrogates are refused earlier, when the JSON is read. */
export function isPrintable(text: string): boolean {
  return !controlCharacter.test(text);
}

/** Text of at most `identifierLengthMax` without control characters; may be empty. */
export const printableSchema = z
  .string()
  .max(identifierLengthMax)
  .refine(isPrintable, { error: 'control characters are not allowed' });

/** A till's or shop's own number for a thing: not empty, else as `printableSchema`. Compared byte for byte. */
export const identifierSchema = printableSchema.min(1);

/** An identifier that may be missing: absent, `null` and `''` all mean that there is none. */
export const optionalIdentifierSchema = printableSchema.nullish();
