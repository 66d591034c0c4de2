import { z } from 'zod';
import { identifierSchema, isPrintable, optionalIdentifierSchema } from './identifier.js';

/** Longest `source` or `subject` accepted: both may carry a path. */
export const sourceLengthMax = 1024;

const uriText = z.string().max(sourceLengthMax).refine(isPrintable, { error: 'control characters are not allowed' });

/** W3C Trace Context, section 3.2: version ff and ids of zeros alone are invalid. */
const w3cTraceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * The CloudEvents attributes we read. `source` should be a URI-reference; it is compared, never followed, so any text
 * will do. `sequence` (CloudEvents extension) is text; a JSON integer is taken by its digits. Of the optional ones ''
 * means unset. A broken `traceparent` costs a trace, never an event. `time` is checked apart, against the clock.
 */
export const frameShape = {
  id: identifierSchema,
  source: uriText.min(1),
  type: identifierSchema,
  subject: uriText.nullish().transform(emptyToNull),
  sequence: z.union([z.int().transform(String), optionalIdentifierSchema.transform(emptyToNull)]),
  traceparent: z.unknown().optional().transform(readTraceparent),
};

function emptyToNull(text: string | null | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

function readTraceparent(value: unknown): string | null {
  return typeof value === 'string' && w3cTraceparent.test(value) ? value : null;
}
