import { z } from 'zod';
import { ATTRIBUTE_DATA_TYPES } from '../partner/brands.js';
import { partnerNameSchema, partnerTextSchema } from '../partner/values.js';
import { parseRfc3339 } from '../rfc3339.js';
import { isVisible, saysInvisible } from '../visible-text.js';
import { currencyCodeSchema } from './currency.js';
import type { AttributeSource, PlainSource } from './program.js';
import { sourcesSchema } from './source-schema.js';

/** Longest name or id in the programs file. */
const nameLengthMax = 200;

const text = z
  .string()
  .min(1)
  .max(nameLengthMax)
  .refine((value) => !/\p{Cc}/u.test(value), { error: 'control characters are not allowed' });

/** A name of the partner. */
const nameSchema = text;

/** A name of ours: events name it, and people compare it. */
const ownNameSchema = text.refine(isVisible, saysInvisible);

/** An id of the partner: written as a number or in quotes, kept as text (it goes into a path). */
export const partnerIdSchema = z
  .union([text.regex(/^\S+$/).refine(isVisible), z.int().nonnegative()], {
    error: 'must be an id: text without spaces and without what cannot be seen, or a whole number',
  })
  .transform(String);

/** A path into an event's `data`, `attributes.campaign`. */
const pathTextSchema = z
  .string({ error: 'must be a path such as attributes.campaign' })
  .max(nameLengthMax)
  .regex(/^[\w$-]+(?:\.[\w$-]+)*$/, { error: 'must be a path such as attributes.campaign' });

/** The same, split into its segments. */
const pathSchema = pathTextSchema.transform((path) => path.split('.'));

/** No till that sells for a wallet pass keeps its books so long: what says so was reset. */
const notBeforeDefault = '2020-01-01';

/** A day, from its beginning in UTC, or RFC 3339 with offset; kept as epoch ms. */
const momentSchema = z
  .string()
  .transform((text) => parseRfc3339(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text) ?? NaN)
  .refine((timeMs) => !Number.isNaN(timeMs), { error: 'must be a day such as 2020-01-01, or RFC 3339 with offset' });

/** A duration in whole milliseconds, at most a year. */
const durationMsSchema = z
  .int()
  .positive()
  .max(366 * 24 * 60 * 60 * 1000);

/** By how much the pass's points move, in points. */
const pointsDeltaSchema = z
  .number()
  .nullish()
  .transform((delta) => delta ?? null);

const plainForms = 'must be a path such as attributes.campaign, { from: path, required: true } or { value: constant }';
const forms = `${plainForms.replace(' or', ',')}, { join: [path, path], with: "-" } or { local: date }`;

const constant = z
  .strictObject({ value: z.union([z.string(), z.number(), z.boolean()]) })
  .transform(({ value }): PlainSource => ({ kind: 'value', value }));

const path = pathSchema.transform((segments): PlainSource => ({ kind: 'path', path: segments, required: false }));

const explicitPath = z
  .strictObject({ from: pathSchema, required: z.boolean().default(false) })
  .transform(({ from, required }): PlainSource => ({ kind: 'path', path: from, required }));

const joinedPartsMax = 8;

/** A letter, a digit or `%` would be confused with what stands in a part. */
const separatorSchema = z
  .string()
  .regex(/^[!-/:-@[-`{-~]$/, { error: 'must be one character of ASCII punctuation' })
  .refine((character) => character !== '%', { error: 'must not be %' });

const joined = z
  .strictObject({
    join: z.array(pathSchema).min(2).max(joinedPartsMax),
    with: separatorSchema.default('-'),
    required: z.boolean().default(false),
  })
  .transform(({ join, with: separator, required }): AttributeSource => ({
    kind: 'join',
    paths: join,
    separator,
    required,
  }));

const local = z
  .strictObject({ local: z.enum(['date', 'time', 'dateTime']) })
  .transform(({ local: part }): AttributeSource => ({ kind: 'local', part }));

/** The partner's child attribute -> `store: storeId`, `store: { from: storeId, required: true }` or `system: { value: pos }`. */
const plainSourcesSchema = z
  .record(nameSchema, z.union([path, explicitPath, constant], { error: plainForms }))
  .default({});

/** The partner's attribute -> the same, or `receipt: { join: [storeId, purchaseId], with: "-" }`. */
const attributeSourcesSchema = z
  .record(nameSchema, z.union([path, explicitPath, constant, joined, local], { error: forms }))
  .default({});

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** Values of one field that are told apart, at most. */
const ignoredValuesMax = 100;

/** `attributes.training: true` or `attributes.tender: [gift-card, staff]`. */
const ignoreReceiptsSchema = z
  .record(pathTextSchema, z.union([scalar, z.array(scalar).min(1).max(ignoredValuesMax)]))
  .transform((fields) =>
    Object.entries(fields).map(([name, values]) => ({ path: name.split('.'), values: [values].flat() })),
  )
  .default([]);

const notMapped = z.strictObject({ via: z.literal('none') });

function transactionSchema(defaultSign: 1 | -1) {
  const mapping = z.strictObject({
    via: z.literal('transaction'),
    transactionTypeId: partnerIdSchema,
    sign: z.union([z.literal(1), z.literal(-1)], { error: 'must be 1 or -1' }).default(defaultSign),
    attributes: attributeSourcesSchema,
    uniqueAttribute: nameSchema.nullish().transform((name) => name ?? null),
    uniqueEnforced: z.boolean().default(false),
    pointsDelta: pointsDeltaSchema,
  });
  return z.preprocess(withVia('transaction'), z.discriminatedUnion('via', [mapping, notMapped]));
}

/** `completed` and `refunded` may be missing (then unroutable); a void that comes too late and has no mapping is for a person. */
const purchasesSchema = z
  .strictObject({
    completed: transactionSchema(1).nullable().default(null),
    refunded: transactionSchema(-1).nullable().default(null),
    voided: transactionSchema(-1).default({ via: 'none' }),
    refundVoided: transactionSchema(1).default({ via: 'none' }),
    corrected: transactionSchema(1).default({ via: 'none' }),
  })
  .prefault({});

const rewardShape = { id: partnerIdSchema, pointsDelta: pointsDeltaSchema };

/** `free-coffee: "9001"` or `free-coffee: { id: "9001", pointsDelta: -10, spendsPoints: true }`. */
const rewardSchema = z.strictObject({
  ...rewardShape,
  spendsPoints: z.boolean().exactOptional(),
  once: pathSchema.exactOptional(),
});
const rewardsSchema = z.record(ownNameSchema, z.preprocess(idAsObject, rewardSchema)).default({});

const revokedSchema = z
  .preprocess(
    withVia('reward'),
    z.discriminatedUnion('via', [notMapped, z.strictObject({ via: z.literal('reward'), ...rewardShape })]),
  )
  .default({ via: 'none' });

/** A mapping need not say `via` when it could mean only one thing. */
function withVia(via: string) {
  return (input: unknown): unknown =>
    typeof input === 'object' && input !== null && !('via' in input) ? { via, ...input } : input;
}

function idAsObject(input: unknown): unknown {
  return typeof input === 'string' || typeof input === 'number' ? { id: input } : input;
}

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

const brand = z.strictObject({
  name: name.nullable().default(null),
  attributes: z.record(name, z.preprocess(dataTypeAlone, brandAttribute)).default({}),
});

const program = z.strictObject({
  transactionTypes: z.record(id, transactionType).default({}),
  templates: z.record(name, template).default({}),
});

/** The `provision` section of the programs file. */
const provisionSchema = z.strictObject({
  brands: z.record(id, brand).default({}),
  programs: z.record(ownNameSchema, program).default({}),
});

/** `store: string` is `store: { dataType: string }`. */
function dataTypeAlone(input: unknown): unknown {
  return typeof input === 'string' ? { dataType: input } : input;
}

const viaWorkflow = z.strictObject({
  via: z.literal('workflow'),
  workflowId: partnerIdSchema,
  choose: z
    .strictObject({
      by: pathSchema,
      workflows: z
        .record(nameSchema, partnerIdSchema)
        .refine((workflows) => Object.keys(workflows).length > 0, { error: 'names no workflow' }),
    })
    .exactOptional(),
});
const unknownPolicy = z.enum(['park', 'resend', 'probe']);
const parkPolicy = z.enum(['block', 'continue']);
const positive = z.number().positive();

const onUnknownSchema = z
  .strictObject({
    issue: unknownPolicy.default('probe'),
    update: unknownPolicy.default('probe'),
    transaction: unknownPolicy.default('park'),
    reward: unknownPolicy.default('park'),
    'schedule-update': unknownPolicy.exclude(['probe']).default('park'),
  })
  .prefault({});

const onParkSchema = z
  .strictObject({
    issue: parkPolicy.default('block'),
    update: parkPolicy.default('continue'),
    transaction: parkPolicy.default('continue'),
    reward: parkPolicy.default('continue'),
    'schedule-update': parkPolicy.default('continue'),
  })
  .prefault({});

const limitsSchema = z
  .strictObject({
    requestsPerSecond: positive.nullable().default(null),
    concurrency: z.int().positive().nullable().default(null),
    replayShare: positive.max(1).default(0.2),
  })
  .prefault({});

const levelSchema = z.enum(['high', 'normal', 'low']);
const eventType = /^loyalty\.(?:member|purchase|reward)\.[a-z-]+\.v\d+$/;

/** How soon something is sent where other members wait, too: `types: { loyalty.member.enrolled.v1: low }`, `sources: { /import: low }`. */
const prioritySchema = z
  .strictObject({
    types: z
      .record(z.string(), levelSchema)
      .refine((types) => Object.keys(types).every((name) => eventType.test(name)), {
        error: 'must name event types, such as loyalty.member.enrolled.v1',
      })
      .default({}),
    sources: z.record(z.string().min(1).refine(isVisible, saysInvisible), levelSchema).default({}),
  })
  .prefault({});

/** `{ erase: true, merge: true, perHour: 100 }`. */
const eventsMaySchema = z
  .strictObject({
    erase: z.boolean().default(false),
    merge: z.boolean().default(false),
    perHour: z.int().positive().max(1_000_000).default(100),
  })
  .prefault({});

/** As many as `digits` of an event may say. */
const currencyDigitsMax = 8;

/** One program of contracts.md section 2, with every default. Unknown keys are refused: a typo must not pass. */
const programSchema = z.strictObject({
  brandId: partnerIdSchema,
  programId: partnerIdSchema,
  currency: currencyCodeSchema.nullable().default(null),
  currencyDigits: z.int().min(0).max(currencyDigitsMax).nullable().default(null),
  notBefore: momentSchema.prefault(notBeforeDefault),
  uniqueIdKey: nameSchema.default('memberId'),
  lookup: z.strictObject({ by: z.enum(['unique_id', 'email', 'person_id']).default('unique_id') }).prefault({}),
  enrolment: z
    .discriminatedUnion('via', [z.strictObject({ via: z.literal('issue') }), viaWorkflow])
    .default({ via: 'issue' }),
  update: z
    .discriminatedUnion('via', [
      viaWorkflow,
      z.strictObject({ via: z.literal('schedule') }),
      z.strictObject({ via: z.literal('none') }),
    ])
    .default({ via: 'none' }),
  existingPass: z.strictObject({ points: z.enum(['keep', 'overwrite']).default('keep') }).prefault({}),
  templateId: z.int().nonnegative().nullable().default(null),
  tiers: z.record(ownNameSchema, z.int().nonnegative()).default({}),
  tierTemplates: z.record(ownNameSchema, z.int().nonnegative()).exactOptional(),
  personAttributes: plainSourcesSchema,
  purchaseKey: z
    .array(pathSchema)
    .min(1)
    .default([['purchaseId']]),
  grantKey: z
    .array(pathSchema)
    .min(1)
    .default([['grantId']]),
  refundUnknown: z.enum(['park', 'post']).default('park'),
  anonymousReceiptDays: z.int().nonnegative().max(3_650).default(100),
  ignoreReceipts: ignoreReceiptsSchema,
  purchases: purchasesSchema,
  rewards: rewardsSchema,
  revoked: revokedSchema,
  missingPass: z.strictObject({ waitMs: durationMsSchema.default(86_400_000) }).prefault({}),
  onRejoin: z.enum(['keep', 'send']).default('keep'),
  missingPurchase: z.strictObject({ waitMs: durationMsSchema.default(3_600_000) }).prefault({}),
  retries: z
    .strictObject({ maxAttempts: z.int().positive().default(12), maxAgeMs: durationMsSchema.default(259_200_000) })
    .prefault({}),
  inFlightMs: durationMsSchema.default(120_000),
  onUnknown: onUnknownSchema,
  onPark: onParkSchema,
  autoPause: z.strictObject({ sameRefusals: z.int().positive().default(20) }).prefault({}),
  limits: limitsSchema,
  priority: prioritySchema,
  eventsMay: eventsMaySchema,
  dialect: z.record(z.string(), z.unknown()).default({}),
});

/** The file as it is written: what `mapFile` names is not read yet. */
export const programsFileSchema = z.strictObject({
  unknownProgram: z.enum(['quarantine', 'ignore']).default('quarantine'),
  programs: z
    .record(ownNameSchema, programSchema)
    .refine((programs) => Object.keys(programs).length > 0, { error: 'at least one program is needed' }),
  provision: provisionSchema.exactOptional(),
  sources: sourcesSchema.default({}),
});
