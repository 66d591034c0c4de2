import { z } from 'zod';

/**
 * A numeric id of the partner's. One beyond 2^53 arrives as its decimal text, because a float would change it; only
 * digits pass, so that any other text still counts as mistyped.
 */
export const partnerIdSchema = z.union([z.number(), z.string().regex(/^-?\d{1,100}$/)]);

export type PartnerId = z.infer<typeof partnerIdSchema>;
