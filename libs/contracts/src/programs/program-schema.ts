import { z } from 'zod';
import { attributeSourcesSchema } from './attribute-source-schema.js';
import { provisionSchema } from './provision-schema.js';
import { purchasesSchema, revokedSchema, rewardsSchema } from './purchases-schema.js';
import { durationMsSchema, nameSchema, partnerIdSchema, pathSchema } from './scalars.js';

const viaWorkflow = z.strictObject({ via: z.literal('workflow'), workflowId: partnerIdSchema });
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

/** One program of contracts.md section 2, with every default. Unknown keys are refused: a typo must not pass. */
const programSchema = z.strictObject({
  brandId: partnerIdSchema,
  programId: partnerIdSchema,
  currency: z.currencyCode({ error: 'must be an ISO 4217 currency code' }).nullable().default(null),
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
  templateId: z.int().nonnegative().nullable().default(null),
  tiers: z.record(nameSchema, z.int().nonnegative()).default({}),
  personAttributes: attributeSourcesSchema,
  purchaseKey: z
    .array(pathSchema)
    .min(1)
    .default([['purchaseId']]),
  refundWaits: z.boolean().default(true),
  purchases: purchasesSchema,
  rewards: rewardsSchema,
  revoked: revokedSchema,
  missingPass: z.strictObject({ waitMs: durationMsSchema.default(86_400_000) }).prefault({}),
  retries: z
    .strictObject({ maxAttempts: z.int().positive().default(12), maxAgeMs: durationMsSchema.default(259_200_000) })
    .prefault({}),
  inFlightMs: durationMsSchema.default(120_000),
  onUnknown: onUnknownSchema,
  onPark: onParkSchema,
  autoPause: z.strictObject({ sameRefusals: z.int().positive().default(20) }).prefault({}),
  limits: limitsSchema,
  dialect: z.record(z.string(), z.unknown()).default({}),
});

export const programsFileSchema = z.strictObject({
  unknownProgram: z.enum(['quarantine', 'ignore']).default('quarantine'),
  programs: z
    .record(nameSchema, programSchema)
    .refine((programs) => Object.keys(programs).length > 0, { error: 'at least one program is needed' }),
  provision: provisionSchema.exactOptional(),
});
