import { z } from 'zod';
import { dataTypeSchema } from './data-type.js';
import { nameSchema } from './name.js';

/** The names required, encrypted, statusCode and brandId are not shown: this sandbox's choice. */
const fields = {
  name: nameSchema,
  description: z.string(),
  dataType: dataTypeSchema,
  searchable: z.boolean(),
  unique: z.boolean(),
  required: z.boolean(),
  encrypted: z.boolean(),
  statusCode: z.string().min(1),
};

/** Body of 4.10; only the name is required. */
export const brandAttributeBodySchema = z.strictObject({
  name: fields.name,
  description: fields.description.optional(),
  dataType: fields.dataType.default('string'),
  searchable: fields.searchable.default(false),
  unique: fields.unique.default(false),
  required: fields.required.default(false),
  encrypted: fields.encrypted.default(false),
  statusCode: fields.statusCode.default('ACTIVE'),
});

/** Body of 4.11: any property of the attribute; its ids may come along, and say nothing new. */
export const brandAttributeChangesSchema = z
  .strictObject({ ...fields, brandAttributeId: z.int(), brandId: z.int() })
  .partial();

export type BrandAttributeBody = z.output<typeof brandAttributeBodySchema>;
export type BrandAttributeChanges = z.output<typeof brandAttributeChangesSchema>;

/** Brand attribute of partner-api.md section 2, as it is answered. */
export const brandAttributeSchema = z.object({
  ...fields,
  brandAttributeId: z.int(),
  description: fields.description.optional(),
  brandId: z.int(),
});

export type BrandAttributeAnswer = z.output<typeof brandAttributeSchema>;
