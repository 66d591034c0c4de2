import { z } from 'zod';

/** ISO 4217 codes have at most 4 decimal digits (CLF, UYW); tokens and points may have more. */
export const minorDigitsMax = 8;

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
