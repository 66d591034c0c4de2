import { z } from 'zod';
import { dataTypeSchema, nameSchema } from './field-schemas.js';

/** Body of 4.13. Updatable properties beyond the name are not shown. */
export const brandBodySchema = z.strictObject({ name: nameSchema });

export type BrandBody = z.output<typeof brandBodySchema>;

/** Brand of partner-api.md section 2, as it is answered. */
export const brandSchema = z.object({ brandId: z.int(), name: nameSchema, statusCode: z.string() });

export type BrandAnswer = z.output<typeof brandSchema>;

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

/** Body of 4.12; both are taken to be required. */
export const templateBodySchema = z.strictObject({ name: nameSchema, passType: nameSchema });

export type TemplateBody = z.output<typeof templateBodySchema>;

/** Wallet template of partner-api.md section 2, as it is answered. */
export const templateSchema = z.object({ templateId: z.int(), name: nameSchema });

export type TemplateAnswer = z.output<typeof templateSchema>;

/** Body of 4.8. Updatable properties beyond the name are not shown. */
export const transactionTypeBodySchema = z.strictObject({ name: nameSchema });

export type TransactionTypeBody = z.output<typeof transactionTypeBodySchema>;

/** Transaction type of partner-api.md section 2, as it is answered. */
export const transactionTypeSchema = z.object({ transactionTypeId: z.int(), name: nameSchema, programId: z.int() });

export type TransactionTypeAnswer = z.output<typeof transactionTypeSchema>;

/** Body of 4.9; only the name is required. The names uniqueKey and encrypted are not shown: this sandbox's choice. */
export const transactionAttributeBodySchema = z.strictObject({
  name: nameSchema,
  dataType: dataTypeSchema.default('string'),
  required: z.boolean().default(false),
  description: z.string().optional(),
  uniqueKey: z.boolean().default(false),
  encrypted: z.boolean().default(false),
});

export type TransactionAttributeBody = z.output<typeof transactionAttributeBodySchema>;

/** Transaction attribute of partner-api.md section 2, as it is answered. */
export const transactionAttributeSchema = z.object({
  transactionAttributeId: z.int(),
  name: nameSchema,
  dataType: dataTypeSchema,
  required: z.boolean(),
  description: z.string().optional(),
  transactionTypeId: z.int(),
  brandId: z.int(),
  programId: z.int(),
  /** What it may be is not shown; the sandbox knows of one type. */
  type: z.literal('CUSTOM'),
  uniqueKey: z.boolean(),
  encrypted: z.boolean(),
});

export type TransactionAttributeAnswer = z.output<typeof transactionAttributeSchema>;
