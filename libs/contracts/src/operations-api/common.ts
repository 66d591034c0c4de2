import { z } from 'zod';

const textLengthMax = 512;
const searchLengthMax = 4_096;
const reasonLengthMax = 1_000;
const reasonLengthMin = 3;
const pageDefault = 50;
const apiPageMax = 500;

export const INTENT_OPERATIONS = [
  'issue',
  'issue-via-workflow',
  'update-via-workflow',
  'transaction',
  'reward',
  'schedule-update',
] as const;

/** Postgres keeps no text with U+0000. */
const isStorable = (text: string): boolean => !text.includes('\u0000');
const notStorable = { error: 'U+0000 is not allowed' };

/** An id or a name in a request. */
export const idSchema = z.string().min(1).max(textLengthMax).refine(isStorable, notStorable);
/** An intent's id may be far longer than what it names: it is percent-encoded. */
export const searchSchema = z.string().min(1).max(searchLengthMax).refine(isStorable, notStorable);
export const timeSchema = z.iso.datetime({ offset: true });
export const limitSchema = z.coerce.number().int().min(1).max(apiPageMax).default(pageDefault);
export const cursorSchema = z
  .string()
  .min(1)
  .max(textLengthMax)
  .optional()
  .describe('`nextCursor` of the page before.');

/** Why somebody acts: kept for ever, read by colleagues. */
export const reasonSchema = z
  .string()
  .trim()
  .min(reasonLengthMin, 'say why')
  .max(reasonLengthMax)
  .refine(isStorable, notStorable)
  .describe('Kept for ever and shown to colleagues: nothing personal.');

/** Where what was done says enough by itself. */
export const reasonIfGivenSchema = reasonSchema.default('no reason given');
