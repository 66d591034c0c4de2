import { z } from 'zod';

/** A value that can be looked for: Postgres cannot store a NUL, so nothing can be found by one. */
export const storableTextSchema = z
  .string()
  .min(1)
  .refine((value) => !value.includes('\0'), 'holds a character that cannot be stored');

/** An identifier that is a number (passId, templateId), as text in a query. */
export const identifierSchema = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a number')
  .transform(Number);
