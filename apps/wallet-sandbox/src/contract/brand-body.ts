import { z } from 'zod';
import { nameSchema } from './name.js';

/** Body of 4.13. Updatable properties beyond the name are not shown. */
export const brandBodySchema = z.strictObject({ name: nameSchema });

export type BrandBody = z.output<typeof brandBodySchema>;
