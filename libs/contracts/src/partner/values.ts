import { z } from 'zod';

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

const jsonNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Longest number text that is kept. */
const numberCharsMax = 400;

/** True when a float tells the same decimal number as the text: `59.990` and `1e3` do, `9007199254740993` does not. */
export function isExactAsFloat(text: string): boolean {
  return isSameNumber(text, String(Number(text)));
}

/** Whether two decimal texts tell the same number, exactly: `59.990` is `59.99` and `5999e-2`. */
export function isSameNumber(left: string, right: string): boolean {
  return left === right || canonical(left) === canonical(right);
}

/** Significant digits and exponent; equal for texts of the same number. */
function canonical(text: string): string {
  const [, sign = '', whole = text, fraction = '', exponent = '0'] = jsonNumber.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

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
