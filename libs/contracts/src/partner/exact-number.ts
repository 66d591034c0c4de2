import { z } from 'zod';

const jsonNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Longest number text that is kept. */
const numberCharsMax = 400;

/** True when a float tells the same decimal number as the text: `59.990` and `1e3` do, `9007199254740993` does not. */
export function isExactAsFloat(text: string): boolean {
  return canonical(text) === canonical(String(Number(text)));
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

export type ExactNumber = z.infer<typeof exactNumberSchema>;
