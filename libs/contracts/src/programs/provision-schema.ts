import { z } from 'zod';
import { ATTRIBUTE_DATA_TYPES, partnerNameSchema, partnerTextSchema } from '../partner/index.js';
import { nameSchema, partnerIdSchema } from './scalars.js';

/** Longest name or id of something that is provisioned: what we did is kept under it. */
const keyLengthMax = 100;

const key = nameSchema.max(keyLengthMax);
const name = key.refine((text) => text.isWellFormed() && text.trim() !== '', { error: 'must not be blank' });
/** An id of the partner as a key, where YAML has made text of it. */
const id = key.regex(/^\S+$/, { error: 'must be an id: text without spaces' });

const dataType = z.enum(ATTRIBUTE_DATA_TYPES).default('string');

const brandAttribute = z.strictObject({
  id: partnerIdSchema.nullable().default(null),
  dataType,
  searchable: z.boolean().default(false),
  unique: z.boolean().default(false),
  description: partnerTextSchema.exactOptional(),
  required: z.boolean().exactOptional(),
  encrypted: z.boolean().exactOptional(),
  statusCode: partnerNameSchema.exactOptional(),
});

const transactionAttribute = z.strictObject({
  exists: z.boolean().default(false),
  dataType,
  required: z.boolean().default(false),
  unique: z.boolean().default(false),
  description: partnerTextSchema.exactOptional(),
  encrypted: z.boolean().exactOptional(),
});

const transactionType = z
  .strictObject({
    name: name.nullable().default(null),
    attributes: z.record(name, z.preprocess(dataTypeAlone, transactionAttribute)).default({}),
  })
  .refine((type) => type.name !== null || Object.keys(type.attributes).length > 0, {
    error: 'declares neither a name nor attributes',
  });

const template = z.strictObject({ exists: z.boolean().default(false), passType: partnerNameSchema });

const brand = z.strictObject({ attributes: z.record(name, z.preprocess(dataTypeAlone, brandAttribute)).default({}) });

const program = z.strictObject({
  transactionTypes: z.record(id, transactionType).default({}),
  templates: z.record(name, template).default({}),
});

/** The `provision` section of the programs file. */
export const provisionSchema = z.strictObject({
  brands: z.record(id, brand).default({}),
  programs: z.record(nameSchema, program).default({}),
});

/** `store: string` is `store: { dataType: string }`. */
function dataTypeAlone(input: unknown): unknown {
  return typeof input === 'string' ? { dataType: input } : input;
}
