import { z } from 'zod';

/** A number as JSON writes it, with an exponent or without. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * A number that the partner answered. One that a float cannot hold exactly arrives as the text it was written with:
 * an amount is money, and a rounded one would be another amount.
 */
export const exactNumberSchema = z.union([z.number(), z.string().max(400).regex(jsonNumber)]);

export type ExactNumber = z.infer<typeof exactNumberSchema>;
