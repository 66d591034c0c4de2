import { z } from 'zod';

import { isExactAsFloat, jsonNumber } from '../json/exact-number.js';

/**
 * A numeric id of the partner's. One beyond 2^53 arrives as its decimal text, because a float would change it; only
 * digits pass, so that any other text still counts as mistyped.
 */
export const partnerIdSchema = z.union([z.number(), z.string().regex(/^-?\d{1,100}$/)]);

export type PartnerId = z.infer<typeof partnerIdSchema>;

/** Longest name or description that is sent: a limit of ours, the partner's is not shown. */
const partnerTextCharsMax = 1_000;

/** A name or description that goes into a body: text that survives UTF-8. */
export const partnerTextSchema = z
  .string()
  .max(partnerTextCharsMax)
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode');

/** A name: not blank. */
export const partnerNameSchema = partnerTextSchema.refine((text) => text.trim() !== '', 'must not be blank');

/** Longest number text that is kept. */
const numberCharsMax = 400;

/**
 * A number that the partner answered. One that a float cannot hold exactly arrives as the text it was written with:
 * an amount is money, and a rounded one would be another amount. A text that a float could hold was sent as text.
 */
export const exactNumberSchema = z.union([
  z.number(),
  z
    .string()
    .max(numberCharsMax)
    .regex(jsonNumber)
    .refine((text) => !isExactAsFloat(text)),
]);
