import { z } from 'zod';

import {
  idSchema,
  INTENT_OPERATIONS,
  jobIdSchema,
  limitSchema,
  moneyViewSchema,
  ordinalCursorSchema,
  reasonIfGivenSchema,
  reasonSchema,
  searchSchema,
  timeSchema,
} from './common.js';
import { intentViewSchema, requestPreviewSchema } from './intents-api.js';

const rateMax = 1_000;

/** How a replay is sent where its request does not say. */
export const REPLAY_DEFAULTS = { ratePerSecond: 10, canary: true } as const;

const asTheDryRun = 'of a dry run that is started, what it was made with';

/** The keys of `GET /intents` that select what is parked. */
export const replayQuerySchema = z.strictObject({
  status: z.literal('parked', 'only what is parked can be replayed').optional(),
  operation: z.enum(INTENT_OPERATIONS).optional(),
  program: idSchema.optional(),
  memberId: idSchema.optional(),
  source: idSchema.optional(),
  store: idSchema.optional(),
  purchaseId: idSchema.optional(),
  reason: idSchema.optional(),
  code: idSchema.optional(),
  fingerprint: idSchema.optional(),
  from: timeSchema.optional(),
  to: timeSchema.optional(),
  q: searchSchema.optional(),
});

export type ReplayQuery = z.output<typeof replayQuerySchema>;

/**
 * The body of `POST /replays`. The same `id` again changes nothing, but that a dry run with it can be started; where it
 * stands for something else, the answer is 409.
 */
export const replayRequestSchema = z.strictObject({
  id: jobIdSchema.optional(),
  query: z
    .union([z.string().max(2_000), z.record(z.string(), z.unknown())])
    .describe('`key=value`, separated by spaces, or an object; the keys of GET /intents.'),
  reason: reasonSchema,
  ratePerSecond: z
    .number()
    .positive()
    .max(rateMax)
    .optional()
    .describe(`At most. Left out: ${REPLAY_DEFAULTS.ratePerSecond}, or ${asTheDryRun}.`),
  dryRun: z.boolean().default(false).describe('Freezes the selection and says what is to be expected; sends nothing.'),
  canary: z
    .boolean()
    .optional()
    .describe(
      `One, then ten, then the rest; stops when they fail again. Left out: ${REPLAY_DEFAULTS.canary}, or ${asTheDryRun}.`,
    ),
  force: z.boolean().default(false).describe('Also what was replayed often without success. Admin only.'),
});

export const replaySteeringSchema = z.strictObject({ reason: reasonIfGivenSchema });

const countsSchema = z.record(z.string(), z.number().int());

export const replayViewSchema = z.object({
  id: z.string(),
  state: z.enum(['planned', 'running', 'paused', 'stopped', 'cancelled', 'done']),
  stoppedBecause: z.string().nullable(),
  query: z.record(z.string(), z.unknown()),
  reason: z.string(),
  ratePerSecond: z.number(),
  canary: z.boolean(),
  canaryProgress: z
    .object({ settled: z.number().int(), failed: z.number().int() })
    .optional()
    .describe(
      'What it judges by: how many came to an end since it began, and how many of those were parked again. It begins anew where what it stopped is resumed. Absent without one.',
    ),
  force: z.boolean(),
  createdAt: timeSchema,
  createdBy: z.string(),
  startedAt: timeSchema.nullable().describe('Null of a dry run that nobody has started.'),
  startedBy: z.string().nullable().describe('In whose name its items are put back.'),
  startReason: z.string().nullable().describe('What they gave as the reason; `reason` is of who made it.'),
  finishedAt: timeSchema.nullable(),
  money: z.array(moneyViewSchema).describe('At stake, by currency.'),
  items: z.number().int(),
  members: z
    .number()
    .int()
    .optional()
    .describe('Whose they are; absent of those that were made before this was counted.'),
  byState: countsSchema.describe('waiting, sent, delivered, parked, cancelled, refused, skipped'),
  byForecast: countsSchema.describe(
    'will-post, was-refused, needs-decision, answered-yes, voided, lane-blocked, nothing-to-send, member-gone',
  ),
});

export type ReplayView = z.output<typeof replayViewSchema>;

export const replayListSchema = z.object({ items: z.array(replayViewSchema) });

export type ReplayList = z.output<typeof replayListSchema>;

/** The query of `GET /replays/{id}/items`. */
export const replayItemsQuerySchema = z.strictObject({
  state: z.enum(['waiting', 'sent', 'delivered', 'parked', 'cancelled', 'refused', 'skipped']).optional(),
  cursor: ordinalCursorSchema,
  limit: limitSchema,
  requests: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('`true`: with the very request that each would be.'),
});

/** What of an intent tells people which one it is; null what it has none of, or what retention has taken away. */
const { operation, amount, purchaseId, storeId } = intentViewSchema.shape;

const replayItemSchema = z.object({
  intent: z.string(),
  operation: operation.nullable(),
  ...{ amount, purchaseId, storeId },
  forecast: z.string(),
  overtaken: z.number().int().describe('Later intents of its member that had been settled then.'),
  state: z.string(),
  detail: z.string().nullable().describe('Why it was refused, or parked again, or stands still though it was sent.'),
  sentAt: timeSchema.nullable(),
  request: requestPreviewSchema.nullish().describe('Given with `requests=true`; null where nothing is left to send.'),
});

export type ReplayItemView = z.output<typeof replayItemSchema>;

export const replayItemsPageSchema = z.object({ items: z.array(replayItemSchema), nextCursor: z.string().nullable() });

export type ReplayItemsPage = z.output<typeof replayItemsPageSchema>;
