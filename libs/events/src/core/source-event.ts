import { z } from 'zod';

import { isVisible, parseRfc3339, saysInvisible } from '#contracts';

/** Longest identifier accepted, in UTF-16 units. Identifiers are stored in the clear and indexed. */
const identifierLengthMax = 256;

// Postgres text cannot hold NUL, and logs and headers must not be broken up by what a till sends.
const controlCharacter = /\p{Cc}/u;

/** True for text without control characters. Lone surrogates are refused earlier, when the JSON is read. */
function isPrintable(text: string): boolean {
  return !controlCharacter.test(text);
}

/** Text of at most `identifierLengthMax` without control characters; may be empty. */
const printableSchema = z
  .string()
  .max(identifierLengthMax)
  .refine(isPrintable, { error: 'control characters are not allowed' });

const visibleText = 'Without characters that cannot be seen.';

/**
 * Tills fill numbers up to a fixed width: what is around one is no part of it. Else compared byte for byte: what nobody sees
 * would make two of one.
 */
const numberSchema = z.string().trim().max(identifierLengthMax).refine(isVisible, saysInvisible).describe(visibleText);

/** A till's or shop's own number for a thing: not empty, else as `numberSchema`. */
export const identifierSchema = numberSchema.min(1);

/** An identifier that may be missing: absent, `null` and `''` all mean that there is none. */
export const optionalIdentifierSchema = numberSchema.nullish();

/** ISO 4217 codes have at most 4 decimal digits (CLF, UYW); tokens and points may have more. */
const minorDigitsMax = 8;

/**
 * Money of contracts.md section 1: integer minor units, never a float. Negative is refused (direction is the event's
 * type), zero is allowed, beyond 2^53 is refused because JSON could not carry it exactly. `digits` says how many of
 * the minor digits stand behind the decimal point; without it ISO 4217 decides.
 */
export const moneySchema = z.looseObject({
  minor: z.int().nonnegative(),
  currency: z.string().regex(/^[A-Z]{3}$/),
  digits: z.int().min(0).max(minorDigitsMax).nullish(),
});

export type Money = z.infer<typeof moneySchema>;

/** RFC 3339 with offset, as text; absent, `null` and `''` all mean that there is none. */
export const optionalInstantSchema = printableSchema
  .refine((text) => text === '' || parseRfc3339(text) !== null, { error: 'must be an RFC 3339 date-time with offset' })
  .nullish();

export const optionalText = z.string().nullish();

/** Longest `source` or `subject` accepted: both may carry a path. */
const sourceLengthMax = 1024;

/** By what an event is known, and who sent it. */
const visibleOf = (lengthMax: number): z.ZodString =>
  z.string().min(1).max(lengthMax).refine(isVisible, saysInvisible).describe(visibleText);

const uriText = z.string().max(sourceLengthMax).refine(isPrintable, { error: 'control characters are not allowed' });

/** W3C Trace Context, section 3.2: version ff and ids of zeros alone are invalid. */
const w3cTraceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * The CloudEvents attributes we read. `source` should be a URI-reference; it is compared, never followed, so any text
 * will do. `sequence` (CloudEvents extension) is text; a JSON integer is taken by its digits. Of the optional ones ''
 * means unset. A broken `traceparent` costs a trace, never an event. `time` is checked apart, against the clock.
 */
export const frameShape = {
  id: visibleOf(identifierLengthMax),
  source: visibleOf(sourceLengthMax),
  type: printableSchema.min(1),
  subject: uriText.nullish().transform(emptyToNull),
  sequence: z.union([z.int().transform(String), printableSchema.nullish().transform(emptyToNull)]),
  traceparent: z.unknown().optional().transform(readTraceparent),
};

function emptyToNull(text: string | null | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

function readTraceparent(value: unknown): string | null {
  return typeof value === 'string' && w3cTraceparent.test(value) ? value : null;
}

/** The CloudEvents 1.0 attributes of one record, after validation. */
export interface SourceEventFrame {
  readonly id: string;
  readonly source: string;
  /** As sent, a reverse-DNS prefix included. */
  readonly type: string;
  readonly subject: string | null;
  /** As sent: RFC 3339 with offset. */
  readonly time: string;
  /** `time` in epoch milliseconds, digits below a millisecond cut off. */
  readonly timeMs: number;
  readonly sequence: string | null;
  readonly traceparent: string | null;
  /** `data` as sent, with fields that no schema knows: what the identity of the event is compared by. Its values are JSON. */
  readonly sentData: unknown;
}

/** What every event's `data` says: of which program it is, and of which member, where it names one. */
export interface EventData {
  readonly program: string;
  readonly memberId?: string | null | undefined;
}

/** One event type with its validated data; `name` is the type without prefix. */
export interface EventOf<Name extends string = string, Data extends EventData = EventData> extends SourceEventFrame {
  readonly name: Name;
  readonly data: Data;
}

const root = 'loyalty.';
const reverseDns = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

/**
 * A type without its reverse-DNS prefix: `com.acme.loyalty.purchase.completed.v1` is `loyalty.purchase.completed.v1`.
 * `null` when it is not one of ours by form; whether it is known is another question.
 */
export function stripTypePrefix(type: string): string | null {
  if (type.startsWith(root)) return type;
  const at = type.lastIndexOf(`.${root}`);
  if (at <= 0 || !reverseDns.test(type.slice(0, at))) return null;
  return type.slice(at + 1);
}
