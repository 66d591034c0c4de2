import { z } from 'zod';
import { dataTypeSchema } from '../contract/field-schemas.js';
import { spellingSchema } from '../spelling/spelling-schema.js';

/** Ids are text in paths; YAML may write them as numbers. */
const idSchema = z.union([z.string().min(1), z.int().nonnegative()]).transform(String);
const nameSchema = z.string().min(1);
/** Answered as a number (partner-api.md section 2). */
const numericIdSchema = idSchema.pipe(z.string().regex(/^\d{1,15}$/, 'must be a number'));
/** Other values are not shown (partner-api.md section 3). */
const statusCodeSchema = z.string().min(1).default('ACTIVE');

const attributeFields = {
  name: nameSchema,
  description: z.string().optional(),
  dataType: dataTypeSchema.default('string'),
  required: z.boolean().default(false),
  /** Kept and answered; the sandbox hides nothing. */
  encrypted: z.boolean().default(false),
};

const transactionAttributeSchema = z.strictObject({
  ...attributeFields,
  /** A value may be used once per transaction type. */
  unique: z.boolean().default(false),
});

const brandAttributeSchema = z.strictObject({
  ...attributeFields,
  id: z.int().nonnegative(),
  searchable: z.boolean().default(false),
  /** A value belongs to one cardholder of the brand. */
  unique: z.boolean().default(false),
  /** Only an ACTIVE attribute governs anything. */
  statusCode: statusCodeSchema,
});

const templateSchema = z
  .union([
    z.int().transform((id) => ({ id, name: undefined, passType: undefined })),
    z.strictObject({ id: z.int(), name: nameSchema.optional(), passType: nameSchema.optional() }),
  ])
  .transform(({ id, name = `template ${id}`, passType = 'GENERIC' }) => ({ id, name, passType }));

const transactionTypeSchema = z.strictObject({
  id: numericIdSchema,
  name: nameSchema,
  attributes: z.array(transactionAttributeSchema).check(refuseRepeated('name')).default([]),
});

const workflowSchema = z.strictObject({ id: idSchema, does: z.enum(['issue', 'update']) });

const rewardSchema = z.strictObject({ id: idSchema, points: z.number().default(0) });

const programSchema = z.strictObject({
  id: numericIdSchema,
  /** `direct`: cards are issued by 4.2; `workflow`: 4.2 is refused, cards come from an issuing workflow (4.3). */
  enrolment: z.enum(['direct', 'workflow']).default('direct'),
  /** The first one is used when a request names none. */
  templates: z.array(templateSchema).check(refuseRepeated('id')).min(1),
  tiers: z.array(z.int()).default([]),
  workflows: z.array(workflowSchema).check(refuseRepeated('id')).default([]),
  transactionTypes: z.array(transactionTypeSchema).check(refuseRepeated('id')).default([]),
  rewards: z.array(rewardSchema).check(refuseRepeated('id')).default([]),
});

const brandSchema = z.strictObject({
  id: numericIdSchema,
  name: nameSchema.optional(),
  statusCode: statusCodeSchema,
  /** `email`, or `metaData.KEY` of the pass's passdata. */
  uniqueIdentifier: z.string().regex(/^(email|metaData\.[A-Za-z_][\w-]*)$/, 'must be email or metaData.KEY'),
  /** Where `email` is the unique identifier: the key of passdata.metaData that `unique_id` asks for (partner-api.md 4.1). */
  memberKey: nameSchema.default('memberId'),
  brandAttributes: z.array(brandAttributeSchema).check(refuseRepeated('id'), refuseRepeated('name')).default([]),
  programs: z.array(programSchema).check(refuseRepeated('id')).default([]),
});

/** What the sandbox's partner has been set up with before anybody calls it. */
export const seedSchema = z.strictObject({
  /** Which wording refusals use: an index into `wordings`, modulo their number. */
  wording: z.int().nonnegative().default(0),
  spelling: spellingSchema.prefault({}),
  brands: z.array(brandSchema).check(refuseRepeated('id')).min(1),
});

export type Seed = z.output<typeof seedSchema>;
export type SeedInput = z.input<typeof seedSchema>;
export type SeedBrand = z.output<typeof brandSchema>;
export type SeedProgram = z.output<typeof programSchema>;
export type Template = z.output<typeof templateSchema>;
export type BrandAttribute = z.output<typeof brandAttributeSchema>;
export type TransactionType = z.output<typeof transactionTypeSchema>;
export type TransactionAttribute = z.output<typeof transactionAttributeSchema>;
export type Workflow = z.output<typeof workflowSchema>;
export type Reward = z.output<typeof rewardSchema>;

/** A zod check: no two entries of an array share the value of `key`. */
function refuseRepeated<Key extends string>(key: Key): z.core.CheckFn<Readonly<Record<Key, string | number>>[]> {
  return ({ value: entries, issues }) => {
    const seen = new Set<string | number>();
    entries.forEach((entry, index) => {
      const value = entry[key];
      if (seen.has(value)) {
        issues.push({ code: 'custom', input: value, path: [index, key], message: `${key} ${value} is given twice` });
      }
      seen.add(value);
    });
  };
}
