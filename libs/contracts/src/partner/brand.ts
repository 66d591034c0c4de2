import { z } from 'zod';
import { partnerIdSchema } from './partner-id.js';
import { partnerNameSchema } from './partner-text.js';

/** Body of 4.13 in partner-api.md. What else of a brand can be changed is not shown (4.14). */
export const brandChangeSchema = z.strictObject({ name: partnerNameSchema });

/** Brand of section 2, the answer of 4.13. Unknown fields are kept. */
export const brandSchema = z.looseObject({ brandId: partnerIdSchema, name: z.string(), statusCode: z.string() });

export type BrandChange = z.infer<typeof brandChangeSchema>;

/** A brand as it could be read: every field may be absent, a mistyped one was left out. */
export type Brand = Partial<z.infer<typeof brandSchema>>;
