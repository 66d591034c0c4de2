import { z } from 'zod';

import {
  cursorSchema,
  idSchema as text,
  INTENT_OPERATIONS,
  limitSchema,
  mixedScriptsSchema,
  moneyViewSchema,
  reasonSchema,
  searchSchema,
  timeSchema as time,
} from './common.js';

export const INTENT_STATUSES = [
  'waiting',
  'pending',
  'delivering',
  'unknown',
  'delivered',
  'parked',
  'cancelled',
] as const;

const oneStatus = INTENT_STATUSES.join('|');

/** One, or several with commas between them. */
const statusesSchema = z
  .string()
  .regex(new RegExp(`^(${oneStatus})(,(${oneStatus})){0,6}$`))
  .describe(`One of ${INTENT_STATUSES.join(', ')}, or several with commas between them: any of these.`);

/** The query of `GET /intents`; every filter counts. */
export const intentQuerySchema = z
  .strictObject({
    status: statusesSchema.optional(),
    operation: z.enum(INTENT_OPERATIONS).optional(),
    program: text.optional(),
    memberId: text.optional(),
    source: text.optional().describe('The `source` of the event.'),
    store: text.optional(),
    purchaseId: text.optional(),
    reason: text.optional().describe('Why it is parked, unless `status` says otherwise.'),
    code: text.optional().describe('What its last attempt ended with.'),
    fingerprint: text.optional().describe('As groups show it: refusals with the same wording.'),
    from: time.optional().describe('Recorded at or after.'),
    to: time.optional().describe('Recorded before.'),
    q: searchSchema.optional().describe("An intent's id, a member's or a purchase's."),
    order: z
      .enum(['newest', 'oldest'])
      .default('newest')
      .describe('By when they were recorded; of one member by their lane.'),
    cursor: cursorSchema,
    limit: limitSchema,
  })
  .describe('Which intents.');

export type IntentQuery = z.output<typeof intentQuerySchema>;

/** The query of `GET /intents/count`. */
export const intentCountQuerySchema = intentQuerySchema.omit({ order: true, cursor: true, limit: true });

export type IntentCountQuery = z.output<typeof intentCountQuerySchema>;

/** How many intents `GET /intents` would list. */
export const intentCountSchema = z.object({
  count: z.number().int(),
  isExact: z
    .boolean()
    .describe(
      'False: too many to be counted at once. There are at least so many, or about as many as count is kept of.',
    ),
  money: z
    .array(moneyViewSchema)
    .describe('By currency, the most first: what the newest `moneyOf` of them name. Many carry no amount.'),
  moneyOf: z.number().int().describe('`count` where the sum is of all.'),
});

export type IntentCountView = z.output<typeof intentCountSchema>;

/** The filters of a list whose values can be listed. */
export const INTENT_FACETS = [
  'status',
  'operation',
  'program',
  'store',
  'source',
  'reason',
  'code',
  'fingerprint',
] as const;

export type IntentFacet = (typeof INTENT_FACETS)[number];

/** The query of `GET /intents/values`. */
export const intentValuesQuerySchema = intentCountQuerySchema.extend({
  of: z.enum(INTENT_FACETS).describe('Of which filter; what the query itself says of that one does not count.'),
  has: text.optional().describe('Only values that have this text in them, whatever its case.'),
});

export type IntentValuesQuery = z.output<typeof intentValuesQuerySchema>;

/** The values of one filter among the intents that fit the others, the most frequent first. */
export const intentValuesSchema = z.object({
  items: z.array(
    z.object({
      value: z.string(),
      intents: z.number().int(),
      wording: z
        .string()
        .nullable()
        .describe('Of a fingerprint: what the partner said to five members or more, without what was theirs.'),
    }),
  ),
  more: z.number().int().describe('How many further values were found and are left out.'),
  isExact: z
    .boolean()
    .describe(
      'False: too many intents to be counted at once. The counts are of the newest `countedOf`, or about right.',
    ),
  countedOf: z.number().int().describe('How many intents were counted, with those that have no such value.'),
});

export type IntentValuesView = z.output<typeof intentValuesSchema>;

/** Intents in one download at most. */
export const INTENT_DOWNLOAD_MAX = 100_000;

/** The query of `GET /intents/download`. */
export const intentDownloadQuerySchema = intentQuerySchema.extend({
  format: z
    .enum(['csv', 'jsonl'])
    .default('csv')
    .describe('`csv` begins with the names of its columns and holds no formula; `jsonl` has one object per line.'),
  limit: z.coerce.number().int().min(1).max(INTENT_DOWNLOAD_MAX).default(INTENT_DOWNLOAD_MAX),
});

export type IntentDownloadQuery = z.output<typeof intentDownloadQuerySchema>;

/** An intent in a list. */
export const intentViewSchema = z.object({
  id: z.string().describe('PROGRAM~MEMBER~SEQ, percent-encoded where needed.'),
  program: z.string(),
  memberId: z.string(),
  mixedScripts: mixedScriptsSchema,
  seq: z.number().int(),
  operation: z.enum(INTENT_OPERATIONS),
  status: z.enum(INTENT_STATUSES),
  reason: z.string().nullable(),
  code: z.string().nullable().describe('What its last attempt ended with.'),
  fingerprint: z.string().nullable(),
  since: time.nullable().describe('Since when it is in this state; null where that is not kept.'),
  recordedAt: time,
  occurredAt: time,
  eventType: z.string(),
  source: z.string().nullable(),
  storeId: z.string().nullable(),
  purchaseId: z.string().nullable(),
  amount: moneyViewSchema.nullable(),
  attemptCount: z.number().int().describe('Attempts that were begun, the one under way included.'),
  cause: z.object({ topic: z.string(), partition: z.number().int(), offset: z.number().int() }),
});

export type IntentView = z.output<typeof intentViewSchema>;

/** A page may be short, even empty, and yet not be the last: `nextCursor` says whether there is more. */
export const intentPageSchema = z.object({ items: z.array(intentViewSchema), nextCursor: z.string().nullable() });

export type IntentPage = z.output<typeof intentPageSchema>;

const eventViewSchema = z.object({
  version: z.number().int(),
  type: z.string(),
  at: time,
  attempt: z.number().int().nullable(),
  data: z.record(z.string(), z.unknown()),
  evidence: z.unknown().describe('What was sent and answered, personal values masked.'),
});

const attemptViewSchema = z.object({
  attempt: z.number().int(),
  begunAt: time.nullable(),
  endedAt: time.nullable(),
  durationMs: z.number().nullable(),
  outcome: z.string().nullable(),
  code: z.string().nullable(),
  phase: z.string().nullable().describe('How far the request got: not-sent, sent, answered.'),
  request: z.unknown(),
  response: z.unknown(),
  nextTryAt: time.nullable(),
});

export const requestPreviewSchema = z
  .object({
    method: z.string(),
    path: z.string().describe('Below the base address.'),
    body: z.unknown(),
    problems: z.array(z.string()).describe('Why no request can be made of it: paths and rules.'),
  })
  .describe('What would be sent now, personal values masked.');

export type RequestPreviewView = z.output<typeof requestPreviewSchema>;

/** One intent with its whole story. */
export const intentDetailsSchema = intentViewSchema.extend({
  isErased: z.boolean(),
  command: z.unknown().describe('What the partner is to be sent, corrections included, personal values masked.'),
  route: z.object({
    rule: z
      .string()
      .nullable()
      .describe('The part of the programs file that says how: `purchases.completed`; null: none does.'),
    programsHash: z.string().describe('Of the programs file that routed it.'),
    isInForce: z.boolean().describe('The process that answers works by that file still.'),
    brokerAt: time.describe('The timestamp of the record.'),
  }),
  nextRequest: requestPreviewSchema.nullable().describe('Null where nothing is left to send.'),
  sourceRecord: z.object({ headers: z.string(), value: z.string() }).nullable(),
  traceId: z.string().nullable().describe('Of the trace that it was recorded in; null where its record came in none.'),
  events: z.array(eventViewSchema),
  attempts: z.array(attemptViewSchema),
});

export type IntentDetails = z.output<typeof intentDetailsSchema>;

const force = z
  .boolean()
  .default(false)
  .describe('Although it was put back 5 times or more and is parked again. Admin only.');

/** The body of `POST /intents/{id}/cancel`. */
export const intentCancellationSchema = z.strictObject({
  reason: reasonSchema,
  notDelivered: z
    .boolean()
    .default(false)
    .describe('You have looked, and the partner does not have it: needed where an attempt may have taken effect.'),
});

/** The body of `POST /intents/{id}/replay`. */
export const intentReplaySchema = z.strictObject({ reason: reasonSchema, force });

/** The body of `POST /intents/{id}/resolve`. */
export const intentResolutionSchema = z.strictObject({
  reason: reasonSchema,
  as: z
    .enum(['delivered', 'not-delivered'])
    .describe(
      '`delivered` settles it; `not-delivered` makes it pending again (to close it, cancel with `notDelivered`).',
    ),
  force,
});

/** The body of `POST /intents/{id}/correct`: either the whole command or what is to change in it. */
export const intentCorrectionSchema = z
  .strictObject({
    reason: reasonSchema,
    command: z.record(z.string(), z.unknown()).optional().describe('The whole command, as it is to be from now on.'),
    patch: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('A JSON merge patch (RFC 7396) of the command: what is not named stays, null removes.'),
  })
  .refine(({ command, patch }) => (command === undefined) !== (patch === undefined), 'say either command or patch');

/** One value of a command that differs; what is personal is masked. */
export const commandChangeSchema = z.object({ path: z.string(), from: z.unknown(), to: z.unknown() });

/** What has changed, value by value. */
export const intentCorrectionResultSchema = z.object({
  intent: intentViewSchema,
  changes: z.array(commandChangeSchema),
  nextRequest: requestPreviewSchema,
});

export type IntentCorrectionResult = z.output<typeof intentCorrectionResultSchema>;

/** What came of it: how it stands now, and how many later intents of its member had been settled before it. */
export const intentActionResultSchema = z.object({ intent: intentViewSchema, overtaken: z.number().int() });

export type IntentActionResult = z.output<typeof intentActionResultSchema>;
