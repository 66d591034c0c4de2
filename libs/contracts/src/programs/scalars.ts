import { z } from 'zod';

/** Longest name or id in the programs file. */
export const nameLengthMax = 200;

const text = z
  .string()
  .min(1)
  .max(nameLengthMax)
  .refine((value) => !/\p{Cc}/u.test(value), { error: 'control characters are not allowed' });

/** A name of ours or of the partner. */
export const nameSchema = text;

/** An id of the partner: written as a number or in quotes, kept as text (it goes into a path). */
export const partnerIdSchema = z
  .union([text.regex(/^\S+$/), z.int().nonnegative()], {
    error: 'must be an id: text without spaces, or a whole number',
  })
  .transform(String);

/** A path into an event's `data`, `attributes.campaign`, split into its segments. */
export const pathSchema = z
  .string({ error: 'must be a path such as attributes.campaign' })
  .max(nameLengthMax)
  .regex(/^[\w$-]+(?:\.[\w$-]+)*$/, { error: 'must be a path such as attributes.campaign' })
  .transform((path) => path.split('.'));

/** A duration in whole milliseconds, at most a year. */
export const durationMsSchema = z
  .int()
  .positive()
  .max(366 * 24 * 60 * 60 * 1000);

/** By how much the pass's points move, in points. */
export const pointsDeltaSchema = z
  .number()
  .nullish()
  .transform((delta) => delta ?? null);
