import { z } from 'zod';

import { isVisible, mixesScripts, saysInvisible } from '../visible-text.js';

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

/** An id or a name in a request. */
export const idSchema = z.string().min(1).max(textLengthMax).refine(isVisible, saysInvisible);
/** An intent's id may be far longer than what it names: it is percent-encoded. */
export const searchSchema = z.string().min(1).max(searchLengthMax);
/** An amount, or a sum: `minor / 10^digits` of its currency. */
export const moneyViewSchema = z.object({
  minor: z.number().int().describe('A sum beyond 2^53 is rounded to a float.'),
  currency: z.string(),
  digits: z
    .number()
    .int()
    .describe('How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them.'),
});

export type MoneyView = z.output<typeof moneyViewSchema>;

export const timeSchema = z.iso.datetime({ offset: true });
export const limitSchema = z.coerce.number().int().min(1).max(apiPageMax).default(pageDefault);

const notOurs = 'not one of ours';

/** The number of something. */
export const numberSchema = z.string().regex(/^[1-9]\d{0,15}$/, notOurs);
/** What a caller names their own job or replay. */
export const jobIdSchema = z.string().regex(/^[\w.-]{1,64}$/, '1 to 64 letters, digits, ".", "_" or "-"');
/** The longest id of a program or member that a record may have (contracts.md section 1). */
const nameCharsMax = 256;
export const nameSchema = z
  .string()
  .regex(new RegExp(`^[\\s\\S]{1,${nameCharsMax}}$`), notOurs)
  .refine(isVisible, saysInvisible);
/** As lists show it, or decoded. */
export const intentIdSchema = z.string().regex(/^[^~]+~[\s\S]+~[1-9]\d{0,9}$/, notOurs);

const cursorOf = (form: z.ZodString): z.ZodOptional<z.ZodString> =>
  form.optional().describe('`nextCursor` of the page before.');

/** Says where the page before ended. */
export const cursorSchema = cursorOf(z.string().regex(/^[\w-]{1,512}$/, notOurs));
/** The number of what it ended with. */
export const numberCursorSchema = cursorOf(numberSchema);
/** How many there were so far. */
export const ordinalCursorSchema = cursorOf(z.string().regex(/^\d{1,9}$/, notOurs));

/** Why an operator acts: kept in the audit, read by colleagues. */
export const reasonSchema = z
  .string()
  .trim()
  .min(reasonLengthMin, 'say why')
  .max(reasonLengthMax)
  .describe('Kept in the audit and shown to colleagues: nothing personal.');

/** Where what was done says enough by itself. */
export const reasonIfGivenSchema = reasonSchema.default('no reason given');

/** Stands beside ids that people compare. */
export const mixedScriptsSchema = z
  .literal(true)
  .optional()
  .describe('An id here has Latin letters beside Cyrillic or Greek ones that look like them. Absent: none has.');

/** The mark of what is shown under these ids. */
export function scriptsOf(...ids: readonly (string | null)[]): { readonly mixedScripts?: true } {
  return ids.some((id) => id !== null && mixesScripts(id)) ? { mixedScripts: true } : {};
}
