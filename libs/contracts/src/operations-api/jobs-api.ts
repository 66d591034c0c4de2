import { z } from 'zod';

import { localDateTimeSchema } from '../partner/passes.js';
import { partnerNameSchema } from '../partner/values.js';
import { idSchema, jobIdSchema, reasonIfGivenSchema, reasonSchema, timeSchema } from './common.js';
import { exportLinesQuerySchema } from './members-api.js';

/** What every request for a stored job may carry: the same `id` again changes nothing. */
const jobRequestShape = {
  id: jobIdSchema.optional(),
  reason: reasonIfGivenSchema,
};

/** Which passes of the partner's listing are read (partner-api.md 4.5); all where nothing is said. */
const listingFilterShape = {
  updatedSince: timeSchema.optional().describe('Only passes that changed at or after.'),
  status: z.string().min(1).max(100).optional().describe('Only passes of this status, such as ACTIVE.'),
  tier: z.number().int().nonnegative().optional().describe("Only passes of this tier, by the partner's id."),
  template: z.number().int().nonnegative().optional().describe("Only passes of this template, by the partner's id."),
};

const reconciliationRequestSchema = z.strictObject({
  kind: z.literal('reconciliation'),
  ...jobRequestShape,
  program: idSchema,
  repair: z.boolean().default(false).describe('Records an intent for what is missing at the partner.'),
  ...listingFilterShape,
});

const adoptionRequestSchema = z.strictObject({
  kind: z.literal('adoption'),
  ...jobRequestShape,
  program: idSchema,
  ...listingFilterShape,
});

/** What it holds is kept in the clear: nothing personal but a member's id. */
export const scheduleRequestSchema = z.strictObject({
  kind: z.literal('schedule'),
  ...jobRequestShape,
  reason: reasonSchema,
  program: idSchema,
  name: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('What the partner calls the schedule; by default after the job.'),
  at: z
    .union([timeSchema, z.strictObject({ dateTime: localDateTimeSchema, timeZone: partnerNameSchema })])
    .describe('When: a time with its offset, or a local one with its IANA time zone.'),
  select: z
    .strictObject({
      memberId: idSchema.optional(),
      tier: z.number().int().nonnegative().optional(),
      template: z.number().int().nonnegative().optional(),
      group: z.string().min(1).max(200).optional(),
      status: z.string().min(1).max(100).optional(),
    })
    .refine((select) => Object.keys(select).length > 0, 'must select passes')
    .describe("Which passes; all of it must fit. Tier and template by the partner's ids."),
  change: z
    .strictObject({
      tier: z.number().int().nonnegative().optional(),
      template: z.number().int().nonnegative().optional(),
      group: z.string().max(200).optional(),
      message: z.string().max(1_000).optional(),
      points: z.number().optional(),
      expiryDate: z.string().max(100).optional(),
    })
    .refine((change) => Object.keys(change).length > 0, 'changes nothing')
    .optional()
    .describe('What changes, where the dialect says where that goes. Without it the documented body alone is sent.'),
  dryRun: z.boolean().default(false).describe('Only counts the passes, and says what would be sent.'),
});

const rereadingRequestSchema = z.strictObject({
  kind: z.literal('rereading'),
  ...jobRequestShape,
  program: idSchema,
  dryRun: z.boolean().default(false).describe('Only says what would be settled.'),
});

const provisioningRequestSchema = z.strictObject({
  kind: z.literal('provisioning'),
  ...jobRequestShape,
  program: idSchema.optional(),
  apply: z.boolean().default(false).describe('Without it only a plan is made.'),
});

const erasureRequestSchema = z.strictObject({
  kind: z.literal('erasure'),
  ...jobRequestShape,
  program: idSchema,
  memberId: idSchema,
});

const exportRequestSchema = z
  .strictObject({
    kind: z.literal('export'),
    ...jobRequestShape,
    reason: reasonSchema.optional(),
    program: idSchema.optional(),
    from: timeSchema.optional().describe('Recorded at or after.'),
    to: timeSchema.optional().describe('Recorded before.'),
    includePersonal: z
      .boolean()
      .default(false)
      .describe('Nothing is masked: needs a reason. Admin only, also for reading its lines; kept.'),
  })
  .refine(({ includePersonal, reason }) => !includePersonal || reason !== undefined, {
    error: 'say why',
    path: ['reason'],
  })
  .transform(({ reason, ...rest }) => ({ ...rest, reason: reasonIfGivenSchema.parse(reason) }));

/** The body of `POST /jobs`. */
export const jobRequestSchema = z.discriminatedUnion('kind', [
  reconciliationRequestSchema,
  adoptionRequestSchema,
  rereadingRequestSchema,
  scheduleRequestSchema,
  provisioningRequestSchema,
  erasureRequestSchema,
  exportRequestSchema,
]);

export type JobRequest = z.output<typeof jobRequestSchema>;

export const JOB_KINDS = [
  'reconciliation',
  'adoption',
  'provisioning',
  'erasure',
  'export',
  'rereading',
  'schedule',
] as const satisfies readonly JobRequest['kind'][];

/** The query of `GET /jobs`. */
export const jobListQuerySchema = z.strictObject({ kind: z.enum(JOB_KINDS).optional() });

export const jobSteeringSchema = z.strictObject({ reason: reasonIfGivenSchema });

/** Stored work on many records. */
export const jobViewSchema = z.object({
  id: z.string(),
  kind: z.enum(JOB_KINDS),
  program: z.string().nullable(),
  request: z.record(z.string(), z.unknown()),
  reason: z.string(),
  state: z.enum(['waiting', 'running', 'paused', 'done', 'failed', 'cancelled']),
  progress: z.record(z.string(), z.number()),
  report: z.unknown().describe('What came of it, at its end.'),
  error: z.string().nullable().describe('Why its last turn, or all of it, failed.'),
  lines: z.number().int().describe('How many lines `GET /jobs/{id}/lines` has.'),
  createdAt: timeSchema,
  createdBy: z.string(),
  finishedAt: timeSchema.nullable(),
});

export type JobView = z.output<typeof jobViewSchema>;

/** The newest first. */
export const jobListSchema = z.object({ items: z.array(jobViewSchema) });

export type JobList = z.output<typeof jobListSchema>;

/** The query of `GET /jobs/{id}/lines`. Which cursors there are, the job's kind says. */
export const jobLinesQuerySchema = exportLinesQuerySchema;

export const jobLinesPageSchema = z.object({
  items: z.array(z.record(z.string(), z.unknown())).describe('Of an export its lines.'),
  nextCursor: z.string().nullable(),
});

export type JobLinesPage = z.output<typeof jobLinesPageSchema>;
