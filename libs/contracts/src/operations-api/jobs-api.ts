import { z } from 'zod';

import { localDateTimeSchema } from '../partner/passes.js';
import { partnerNameSchema } from '../partner/values.js';
import {
  idSchema,
  jobIdSchema,
  limitSchema,
  moneyViewSchema,
  ordinalCursorSchema,
  reasonIfGivenSchema,
  reasonSchema,
  timeSchema,
} from './common.js';
import { commandChangeSchema, intentCountQuerySchema, intentViewSchema, requestPreviewSchema } from './intents-api.js';
import { exportLinesQuerySchema } from './members-api.js';
import { quarantineCountQuerySchema } from './quarantine-api.js';

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

const rateMax = 1_000;

/** Members a second whom the partner is asked about where a request does not say. */
export const ASK_RATE = 1;

/** How a replay is sent where its request does not say. */
export const REPLAY_DEFAULTS = { ratePerSecond: 10, canary: true } as const;

/** How fast a job goes, and how carefully. */
const paceShape = {
  ratePerSecond: z.number().positive().max(rateMax).optional(),
  canary: z.boolean().optional(),
};

/** The same of a job that goes as its kind does unless it is asked otherwise. */
const pacedShape = {
  ratePerSecond: paceShape.ratePerSecond.describe('Calls of the partner, at most. Left out: as its kind has it.'),
  canary: paceShape.canary.describe('What it has sent goes one first, then ten, then the rest; stops when they fail.'),
};

/** What selects parked intents: the keys of `GET /intents`. */
export const replayQuerySchema = z.strictObject({
  ...intentCountQuerySchema.shape,
  status: z.literal('parked', 'only what is parked can be replayed').optional(),
});

export type ReplayQuery = z.output<typeof replayQuerySchema>;

const replayRequestSchema = z.strictObject({
  kind: z.literal('replay'),
  ...jobRequestShape,
  reason: reasonSchema,
  query: z
    .union([z.string().max(2_000), z.record(z.string(), z.unknown())])
    .describe('`key=value`, separated by spaces, or an object; the keys of GET /intents.'),
  ratePerSecond: paceShape.ratePerSecond.describe(`At most. Left out: ${REPLAY_DEFAULTS.ratePerSecond}.`),
  canary: paceShape.canary.describe(
    `One, then ten, then the rest; stops when they fail again. Left out: ${REPLAY_DEFAULTS.canary}.`,
  ),
  dryRun: z
    .boolean()
    .default(false)
    .describe('Freezes the selection and says what is to be expected; sends nothing until it is started.'),
  force: z.boolean().default(false).describe('Also what was replayed often without success. Admin only.'),
});

const selectedShape = {
  ...jobRequestShape,
  reason: reasonSchema,
  query: replayRequestSchema.shape.query,
};

/** What it sends goes as a replay does. */
const sentShape = {
  ratePerSecond: replayRequestSchema.shape.ratePerSecond,
  canary: replayRequestSchema.shape.canary,
};

/** What is parked in doubt, as it is told to the partner. */
export const doubtfulCallsSchema = z.object({
  items: z.array(
    z.object({
      intent: z.string(),
      member: z.string(),
      operation: z.string(),
      type: z.string().nullable().describe('The transaction type; null of a reward.'),
      receipt: z.string().nullable().describe('By which the partner knows the sale.'),
      reward: z.string().nullable(),
      amount: z.string().nullable(),
      currency: z.string().nullable(),
      sentAt: z.string().nullable().describe('When it was last sent.'),
    }),
  ),
  csv: z.string().describe('The same as CSV, without formulas.'),
});

export type DoubtfulCalls = z.output<typeof doubtfulCallsSchema>;

/** How a field is sent instead of how it came. */
export const sendAsSchema = z.strictObject({
  path: z.string().min(1).max(256).describe('Such as `attributes.campaign`.'),
  as: z.enum(['text', 'number']),
});

export type SendAs = z.output<typeof sendAsSchema>;

const patchSchema = z.record(z.string(), z.unknown());
const eitherPatch = { error: 'give one of patch and sendAs', path: ['patch'] };

interface Change {
  readonly patch?: unknown;
  readonly sendAs?: unknown;
}

const isOneChange = ({ patch, sendAs }: Change): boolean => (patch === undefined) !== (sendAs === undefined);
const isNoMoreThanOne = ({ patch, sendAs }: Change): boolean => patch === undefined || sendAs === undefined;

const resolveRequestSchema = z.strictObject({
  kind: z.literal('resolve'),
  ...selectedShape,
  as: z.enum(['delivered', 'not-delivered']).describe('`delivered` settles them; `not-delivered` sends them again.'),
  ...sentShape,
});

const cancelRequestSchema = z.strictObject({
  kind: z.literal('cancel'),
  ...selectedShape,
  notDelivered: z
    .boolean()
    .default(false)
    .describe('Also what may have taken effect: you have looked, and the partner does not have it.'),
});

const correctRequestSchema = z
  .strictObject({
    kind: z.literal('correct'),
    ...selectedShape,
    patch: patchSchema.optional().describe('A JSON merge patch (RFC 7396) of each command. Kept: nothing personal.'),
    sendAs: sendAsSchema.optional().describe('Or a field that is sent as a text, or as a number.'),
    replay: z.boolean().default(false).describe('Sends each in the same transaction.'),
    ...sentShape,
  })
  .refine(isOneChange, eitherPatch);

/** Rows of a partner's list, and characters of it, at most. */
export const PARTNER_LIST_MAX = { rows: 20_000, chars: 3_000_000 } as const;

const settleRequestSchema = z.strictObject({
  kind: z.literal('settle'),
  ...selectedShape,
  list: z
    .string()
    .max(PARTNER_LIST_MAX.chars)
    .describe('What the partner has, as CSV with a head or as JSON lines. Not kept: what it shows of each intent is.'),
  complete: z
    .strictObject({
      from: timeSchema,
      to: timeSchema,
      types: z.array(z.string().min(1).max(200)).min(1).max(100).describe('Transaction types and rewards.'),
    })
    .optional()
    .describe('The list has all that the partner took of these types in this time. Admin only.'),
});

const askRequestSchema = z.strictObject({
  kind: z.literal('ask'),
  ...selectedShape,
  ratePerSecond: paceShape.ratePerSecond.describe(`Members that are looked up, at most. Left out: ${ASK_RATE}.`),
});

/** What selects open records that were set aside. */
const selectedRecordsShape = {
  ...jobRequestShape,
  reason: reasonSchema,
  query: z
    .union([z.string().max(2_000), quarantineCountQuerySchema])
    .describe('`key=value`, separated by spaces, or an object; the keys of GET /quarantine/count.'),
};

const resubmitRequestSchema = z
  .strictObject({
    kind: z.literal('resubmit'),
    ...selectedRecordsShape,
    patch: patchSchema
      .optional()
      .describe('A JSON merge patch (RFC 7396) of the value of each record. Kept: nothing personal.'),
    sendAs: sendAsSchema.optional().describe('Or a field of it that is taken as a text, or as a number.'),
  })
  .refine(isNoMoreThanOne, eitherPatch);

const discardRequestSchema = z.strictObject({ kind: z.literal('discard'), ...selectedRecordsShape });

const reconcileRequestSchema = z.strictObject({
  kind: z.literal('reconcile'),
  ...jobRequestShape,
  program: idSchema,
  repair: z.boolean().default(false).describe('Records an intent for what is missing at the partner.'),
  adopt: z
    .boolean()
    .default(false)
    .describe('Takes over passes that we do not know, also of members whom we never saw.'),
  ...pacedShape,
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

const rereadRequestSchema = z.strictObject({
  kind: z.literal('reread'),
  ...jobRequestShape,
  program: idSchema,
  dryRun: z.boolean().default(false).describe('Only says what would be settled.'),
});

/** How fast a topic is read again where its request does not say. */
export const REREAD_TOPIC_RATE = 500;

const offsetsSchema = z
  .record(z.string().regex(/^\d{1,6}$/), z.number().int().nonnegative())
  .refine((offsets) => Object.keys(offsets).length > 0, 'names no partition');

/** Names are Kafka's, so that none of them is personal. */
const rereadTopicRequestSchema = z
  .strictObject({
    kind: z.literal('reread-topic'),
    ...jobRequestShape,
    reason: reasonSchema,
    topic: z.string().min(1).max(249).optional().describe('Which topic.'),
    source: z.string().min(1).max(200).optional().describe('Or all topics of a declared source.'),
    from: z
      .union([timeSchema, offsetsSchema])
      .describe('A time: what the brokers have got since. Or an offset for each partition that is read.'),
    ratePerSecond: paceShape.ratePerSecond.describe(`Records, at most. Left out: ${REREAD_TOPIC_RATE}.`),
    dryRun: z.boolean().default(false).describe('Only counts and lists; records nothing.'),
  })
  .refine(({ topic, source }) => (topic === undefined) !== (source === undefined), {
    error: 'give one of topic and source',
    path: ['topic'],
  })
  .refine(({ topic, from }) => typeof from === 'string' || topic !== undefined, {
    error: 'offsets are those of one topic',
    path: ['from'],
  });

const provisionRequestSchema = z.strictObject({
  kind: z.literal('provision'),
  ...jobRequestShape,
  program: idSchema.optional(),
  apply: z.boolean().default(false).describe('Without it only a plan is made.'),
  ...pacedShape,
});

const eraseRequestSchema = z.strictObject({
  kind: z.literal('erase'),
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
    memberId: idSchema.optional().describe('Of this member of the program alone: what they may ask for.'),
    from: timeSchema.optional().describe('Recorded at or after.'),
    to: timeSchema.optional().describe('Recorded before.'),
    includePersonal: z
      .boolean()
      .default(false)
      .describe('Nothing is masked: needs a reason. Admin only, also for reading its lines; kept.'),
  })
  .refine(({ memberId, program }) => memberId === undefined || program !== undefined, {
    error: 'a member is one of a program',
    path: ['program'],
  })
  .refine(({ includePersonal, reason }) => !includePersonal || reason !== undefined, {
    error: 'say why',
    path: ['reason'],
  })
  .transform(({ reason, ...rest }) => ({ ...rest, reason: reasonIfGivenSchema.parse(reason) }));

/** The body of `POST /jobs`. */
export const jobRequestSchema = z.discriminatedUnion('kind', [
  replayRequestSchema,
  resolveRequestSchema,
  cancelRequestSchema,
  correctRequestSchema,
  settleRequestSchema,
  askRequestSchema,
  resubmitRequestSchema,
  discardRequestSchema,
  reconcileRequestSchema,
  provisionRequestSchema,
  scheduleRequestSchema,
  rereadRequestSchema,
  rereadTopicRequestSchema,
  eraseRequestSchema,
  exportRequestSchema,
]);

export type JobRequest = z.output<typeof jobRequestSchema>;

export const JOB_KINDS = [
  'replay',
  'resolve',
  'cancel',
  'correct',
  'settle',
  'ask',
  'resubmit',
  'discard',
  'reconcile',
  'provision',
  'schedule',
  'reread',
  'reread-topic',
  'erase',
  'export',
] as const satisfies readonly JobRequest['kind'][];

/** Such a job is planned first, and begins once who starts it says how many it is of. */
export const COUNTED_KINDS: readonly JobRequest['kind'][] = [
  'resolve',
  'cancel',
  'correct',
  'settle',
  'ask',
  'resubmit',
  'discard',
];

/** The query of `GET /jobs`. */
export const jobListQuerySchema = z.strictObject({ kind: z.enum(JOB_KINDS).optional() });

export const jobSteeringSchema = z.strictObject({ reason: reasonIfGivenSchema });

/** The body of `POST /jobs/{id}/start`. */
export const jobStartSchema = z.strictObject({
  reason: reasonSchema,
  items: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('How many it is of, as its plan says. What is neither a replay nor a schedule begins only with it.'),
  ratePerSecond: paceShape.ratePerSecond.describe('Left out: as the dry run was made.'),
  canary: paceShape.canary.describe('Left out: as the dry run was made.'),
});

const countsSchema = z.record(z.string(), z.number().int());

const selectionSchema = z.object({
  items: z.number().int(),
  members: z.number().int().nullable().describe('Whose they are; null of records that were set aside.'),
  money: z.array(moneyViewSchema).describe('At stake, by currency.'),
  byForecast: countsSchema.describe(
    'will-post, was-refused, corrected-since, needs-decision, answered-yes, expired, voided, lane-blocked, nothing-to-send, not-a-member, merged, member-gone; of a correction will-change, nothing-changed, cannot-be-corrected, needs-admin; of a list listed, not-listed, ambiguous, unproven; of a look at the partner can-prove, proves-nothing; of records set aside untried, will-be-taken, duplicate, ignored, refused-again, cannot-be-corrected, needs-admin, record-batch, will-be-discarded',
  ),
  refusedBy: z
    .array(z.object({ rule: z.string(), records: z.number().int() }))
    .optional()
    .describe('Of records that would be set aside again: the first twenty rules by which, the most first.'),
  notes: z.array(z.string()).optional().describe('What else is to be said of the selection.'),
  byState: countsSchema.describe('waiting, sent, done, delivered, parked, cancelled, refused, skipped'),
});

/** Stored work on many records. */
export const jobViewSchema = z.object({
  id: z.string(),
  kind: z.enum(JOB_KINDS),
  program: z.string().nullable(),
  request: z.record(z.string(), z.unknown()),
  reason: z.string(),
  state: z
    .enum(['planned', 'waiting', 'running', 'paused', 'stopped', 'done', 'failed', 'cancelled'])
    .describe(
      '`planned`: a dry run, until somebody starts it; one that tries each record runs until then, its `startedAt` null. `stopped`: by its canary; `error` says why.',
    ),
  progress: z.record(z.string(), z.number()),
  selection: selectionSchema.nullable().describe('What it sends item by item; null of kinds that have no items.'),
  ratePerSecond: z.number().nullable().describe('At most; null: as its kind has it.'),
  canary: z.boolean(),
  canaryProgress: z
    .object({ settled: z.number().int(), failed: z.number().int() })
    .nullable()
    .describe(
      'What its canary judges by: how many came to an end since it began, and how many of those failed. It begins anew where what it stopped is resumed. Null without one.',
    ),
  report: z.unknown().describe('What came of it, at its end.'),
  error: z.string().nullable().describe('Why its last turn, or all of it, failed, or why its canary stopped it.'),
  lines: z.number().int().describe('How many lines `GET /jobs/{id}/lines` has.'),
  createdAt: timeSchema,
  createdBy: z.string(),
  startedAt: timeSchema.nullable().describe('Null of a dry run that nobody has started.'),
  startedBy: z.string().nullable().describe('In whose name it works.'),
  startReason: z.string().nullable().describe('What they gave as the reason; `reason` is of who made it.'),
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

/** The query of `GET /jobs/{id}/items`. */
export const jobItemsQuerySchema = z.strictObject({
  state: z.enum(['waiting', 'sent', 'done', 'delivered', 'parked', 'cancelled', 'refused', 'skipped']).optional(),
  cursor: ordinalCursorSchema,
  limit: limitSchema,
  requests: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('`true`: with the very request that each would be; of records set aside the first ten of a page.'),
});

/** What of an intent tells people which one it is; null what it has none of, or what retention has taken away. */
const { operation, amount, purchaseId, storeId } = intentViewSchema.shape;

/** What a record would come to, by the programs file of now. */
const becomesSchema = z.object({
  result: z.enum(['taken', 'ignored', 'refused']),
  why: z.string().nullable().describe('Why it is ignored, or refused.'),
  event: z.string().nullable().describe('The event as it is taken in, JSON, personal values masked.'),
  calls: z
    .array(z.object({ operation, request: requestPreviewSchema.nullable() }))
    .describe('What the partner would be sent for it; null: nothing, it is parked.'),
});

const jobItemSchema = z.object({
  intent: z.string().nullable().describe('Null of a record that has become none.'),
  record: z.number().int().nullable().describe('A record that was set aside; null of an intent.'),
  operation: operation.nullable(),
  ...{ amount, purchaseId, storeId },
  forecast: z.string(),
  overtaken: z.number().int().describe('Later intents of its member that had been settled then.'),
  state: z.string(),
  detail: z.string().nullable().describe('Why it was refused, or parked again, or stands still though it was sent.'),
  sentAt: timeSchema.nullable(),
  request: requestPreviewSchema.nullish().describe('Given with `requests=true`; null where nothing is left to send.'),
  changes: z
    .array(commandChangeSchema)
    .optional()
    .describe(
      'Given with `requests=true`: in what the programs file of now plans it otherwise than it was planned and corrected last; of a record in what it is taken otherwise than it arrived.',
    ),
  becomes: z.array(becomesSchema).optional().describe('Given with `requests=true` of a record: each event of it.'),
});

export type JobItemView = z.output<typeof jobItemSchema>;

/** In the order in which they are sent. */
export const jobItemsPageSchema = z.object({ items: z.array(jobItemSchema), nextCursor: z.string().nullable() });

export type JobItemsPage = z.output<typeof jobItemsPageSchema>;
