import { z } from 'zod';

const secretCharsMax = 500;

/** Body of `PUT /__client`. */
export const clientChangeSchema = z.strictObject({ clientSecret: z.string().min(1).max(secretCharsMax) });

export type ClientChange = z.output<typeof clientChangeSchema>;
