import { z } from 'zod';

/** Longest name or description that is sent: a limit of ours, the partner's is not shown. */
export const partnerTextCharsMax = 1_000;

/** A name or description that goes into a body: text that survives UTF-8. */
export const partnerTextSchema = z
  .string()
  .max(partnerTextCharsMax)
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode');

/** A name: not blank. */
export const partnerNameSchema = partnerTextSchema.refine((text) => text.trim() !== '', 'must not be blank');
