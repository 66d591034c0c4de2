import { z } from 'zod';
import { partnerIdSchema } from './partner-id.js';
import { partnerNameSchema } from './partner-text.js';

/** Body of 4.12 in partner-api.md. Which pass types exist is not shown: the text goes as it is. */
export const templateInputSchema = z.strictObject({ name: partnerNameSchema, passType: partnerNameSchema });

/** The answer of 4.12. Unknown fields are kept. */
export const templateSchema = z.looseObject({
  templateId: partnerIdSchema,
  name: z.string(),
  passType: z.string().nullish(),
});

export type TemplateInput = z.infer<typeof templateInputSchema>;

/** A template as it could be read: every field may be absent, a mistyped one was left out. */
export type WalletTemplate = Partial<z.infer<typeof templateSchema>>;
