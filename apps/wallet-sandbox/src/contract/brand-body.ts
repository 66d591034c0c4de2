import { z } from 'zod';
import { nameSchema } from './name.js';

/** Body of 4.13. Updatable properties beyond the name are not shown. */
export const brandBodySchema = z.strictObject({ name: nameSchema });

export type BrandBody = z.output<typeof brandBodySchema>;

/** Brand of partner-api.md section 2, as it is answered. */
export const brandSchema = z.object({ brandId: z.int(), name: nameSchema, statusCode: z.string() });

export type BrandAnswer = z.output<typeof brandSchema>;
