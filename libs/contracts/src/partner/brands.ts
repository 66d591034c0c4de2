import { z } from 'zod';
import { partnerIdSchema, partnerNameSchema, partnerTextSchema } from './values.js';

/** Body of 4.13 in partner-api.md. What else of a brand can be changed is not shown (4.14). */
export const brandChangeSchema = z.strictObject({ name: partnerNameSchema });

/** Brand of section 2, the answer of 4.13. Unknown fields are kept. */
export const brandSchema = z.looseObject({ brandId: partnerIdSchema, name: z.string(), statusCode: z.string() });

export type BrandChange = z.infer<typeof brandChangeSchema>;

/** A brand as it could be read: every field may be absent, a mistyped one was left out. */
export type Brand = Partial<z.infer<typeof brandSchema>>;

/** Data types of a brand attribute (partner-api.md section 2); the partner assumes `string` when none is given. */
export const ATTRIBUTE_DATA_TYPES = ['string', 'number', 'boolean', 'date'] as const;

export type AttributeDataType = (typeof ATTRIBUTE_DATA_TYPES)[number];

const changeable = {
  name: partnerNameSchema.exactOptional(),
  description: partnerTextSchema.exactOptional(),
  dataType: z.enum(ATTRIBUTE_DATA_TYPES).exactOptional(),
  searchable: z.boolean().exactOptional(),
  unique: z.boolean().exactOptional(),
  required: z.boolean().exactOptional(),
  encrypted: z.boolean().exactOptional(),
  statusCode: partnerNameSchema.exactOptional(),
};

/** What 4.10 is asked for, in our words: the names of `required`, `encrypted`, `statusCode` are the dialect's. */
export const brandAttributeInputSchema = z.strictObject({ ...changeable, name: partnerNameSchema });

/** What 4.11 is asked for: anything of the shape, but something. */
export const brandAttributeChangeSchema = z
  .strictObject(changeable)
  .refine((change) => Object.keys(change).length > 0, 'at least one property must change');

/** The answer of 4.10 and 4.11, the dialect's names turned into ours. Unknown fields are kept. */
export const brandAttributeSchema = z.looseObject({
  brandAttributeId: partnerIdSchema,
  name: z.string(),
  description: z.string().nullish(),
  dataType: z.enum(ATTRIBUTE_DATA_TYPES),
  searchable: z.boolean(),
  unique: z.boolean(),
  brandId: partnerIdSchema.nullish(),
  required: z.boolean().nullish(),
  encrypted: z.boolean().nullish(),
  statusCode: z.union([z.string(), z.number()]).nullish(),
});

export type BrandAttributeInput = z.infer<typeof brandAttributeInputSchema>;
export type BrandAttributeChange = z.infer<typeof brandAttributeChangeSchema>;

/** A brand attribute as it could be read: every field may be absent, a mistyped one was left out. */
export type BrandAttribute = Partial<z.infer<typeof brandAttributeSchema>>;

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
