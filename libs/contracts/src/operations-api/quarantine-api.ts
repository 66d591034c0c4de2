import { z } from 'zod';
import {
  idSchema,
  limitSchema,
  mixedScriptsSchema,
  moneyViewSchema,
  numberCursorSchema,
  reasonIfGivenSchema,
  reasonSchema,
  timeSchema,
} from './common.js';

/** The state of a record that was set aside: open, taken in after all, or given up. */
const QUARANTINE_STATES = ['open', 'resubmitted', 'discarded'] as const;

/** Who sent a record. Empty: of those that name none. */
const senderSchema = z.string().max(512).optional();

/** Which records set aside: what a list and a job have in common. */
const quarantineFilterShape = {
  reason: idSchema.optional(),
  detail: idSchema.optional().describe('A part of the detail.'),
  topic: idSchema.optional(),
  source: senderSchema.describe('The `source` of the event; empty: of records that do not say, or could not be read.'),
  store: senderSchema.describe('The `storeId` of a purchase; empty as `source`.'),
  program: senderSchema.describe('One of the programs file; empty as `source`.'),
  cause: z.string().max(512).optional().describe('As GET /quarantine/causes tells it.'),
  memberId: idSchema.optional().describe('A whole id: records that name this member, of whichever program.'),
  purchaseId: idSchema.optional().describe('A whole number: records whose purchase, refund, grant or event has it.'),
  from: timeSchema.optional().describe('Set aside at or after.'),
  to: timeSchema.optional().describe('Set aside before.'),
};

/** The query of `GET /quarantine`. */
export const quarantineQuerySchema = z.strictObject({
  state: z.enum([...QUARANTINE_STATES, 'any']).default('open'),
  ...quarantineFilterShape,
  cursor: numberCursorSchema,
  limit: limitSchema,
});

export type QuarantineQuery = z.output<typeof quarantineQuerySchema>;

/** The query of `GET /quarantine/count`, and which records a job is of. */
export const quarantineCountQuerySchema = z.strictObject(quarantineFilterShape);

export type QuarantineCountQuery = z.output<typeof quarantineCountQuerySchema>;

/** Sources that are named, at most. */
export const quarantineSourcesMax = 10;

/** How many records are open, why they were refused and who sent them, the most first. */
export const quarantineCountSchema = z.object({
  count: z.number().int(),
  isExact: z.boolean().describe('False: there may be more: only the newest 50,000 open records are looked at.'),
  at: timeSchema.describe('When they were counted.'),
  byReason: z.array(z.object({ reason: z.string(), count: z.number().int() })),
  bySource: z
    .array(z.object({ source: z.string().nullable(), count: z.number().int() }))
    .describe(`The first ${quarantineSourcesMax}. Null: of those that do not say, or could not be read.`),
});

export type QuarantineCountView = z.output<typeof quarantineCountSchema>;

const settlementSchema = z.object({
  at: timeSchema,
  by: z.string(),
  why: z.string(),
  result: z
    .enum(['recorded', 'duplicate', 'ignored', 'discarded'])
    .describe('`duplicate`: the same had been recorded already. `ignored`: `reason` says why.'),
  reason: z.string().nullable(),
  intent: z.string().nullable().describe('The intent it became, or had become already.'),
});

/** A source record that could not become an intent. */
export const quarantinedViewSchema = z.object({
  id: z.number().int(),
  state: z.enum(QUARANTINE_STATES),
  reason: z.string(),
  detail: z.string().describe('Paths and rules, never a value.'),
  topic: z.string(),
  partition: z.number().int(),
  offset: z.number().int(),
  lastOffset: z
    .number()
    .int()
    .nullable()
    .describe('Set: it is a whole record batch that was not taken apart, for its records from `offset` to this one.'),
  bytes: z.number().int().describe('Of its value; of the record batch as the broker has it.'),
  producedAt: timeSchema.describe('The timestamp of the record.'),
  recordedAt: timeSchema,
  source: z
    .string()
    .nullable()
    .describe('Who sent it; null where it does not say, and of what came before this was kept.'),
  store: z.string().nullable(),
  program: z.string().nullable(),
  cause: z.string().describe('The detail without the numbers in it: what records of one cause have in common.'),
  amount: moneyViewSchema.nullable().describe('What it tells of; null where that cannot be read.'),
  mixedScripts: mixedScriptsSchema,
  settled: settlementSchema.nullable().describe('Who dealt with it, why, and what came of it.'),
});

export type QuarantinedView = z.output<typeof quarantinedViewSchema>;

/** Newest first. */
export const quarantinePageSchema = z.object({
  items: z.array(quarantinedViewSchema),
  nextCursor: z.string().nullable(),
});

export type QuarantinePage = z.output<typeof quarantinePageSchema>;

const namedRecords = z.array(z.object({ name: z.string(), records: z.number().int() }));

/** Open records by why they were refused, the cause with the most first. */
export const quarantineCausesSchema = z.object({
  isExact: z.boolean().describe('False: only the newest 50,000 open records are looked at.'),
  items: z.array(
    z.object({
      reason: z.string(),
      cause: z.string(),
      detail: z.string().describe('Of the newest of them.'),
      newest: z.number().int().describe('The id of the newest.'),
      records: z.number().int(),
      firstAt: timeSchema,
      lastAt: timeSchema,
      money: z.array(moneyViewSchema).describe('What they tell of, as far as that can be read.'),
      sources: namedRecords.describe('The first three, the most first.'),
      stores: namedRecords,
      hours: z
        .array(z.object({ at: timeSchema, records: z.number().int() }))
        .describe('How many came in each of the last 24 hours; hours without any are left out.'),
    }),
  ),
});

export type QuarantineCausesView = z.output<typeof quarantineCausesSchema>;

const contentShape = {
  isReadable: z.boolean().describe('False where no key opens the bytes any more.'),
  key: z.string().nullable(),
  headers: z.string(),
  value: z.string().nullable(),
  encoding: z
    .enum(['text', 'masked', 'batch'])
    .describe('`masked`: no JSON, hence not shown. `batch`: a whole record batch, never taken apart.'),
};

const changeSchema = z.object({
  path: z.string().describe('Begins with `key`, `headers` or `value`.'),
  change: z.enum(['added', 'removed', 'changed']),
  from: z.unknown(),
  to: z.unknown(),
});

/** What was taken in instead of the record as it arrived. */
const correctedSchema = z.object({
  ...contentShape,
  changes: z.array(changeSchema).describe('What differs from the record as it arrived, personal values masked.'),
  hasMoreChanges: z.boolean().describe('More differs than is shown.'),
});

export type CorrectedView = z.output<typeof correctedSchema>;

/** With the record as it arrived: personal values masked where it is JSON, all of it where it is not. */
export const quarantinedDetailsSchema = quarantinedViewSchema.extend({
  ...contentShape,
  corrected: correctedSchema.nullable(),
});

export type QuarantinedDetails = z.output<typeof quarantinedDetailsSchema>;

/** A record as it arrived with everything in it, personal values too. Who asked is kept. */
export const unmaskedRecordSchema = z.object({
  id: z.number().int(),
  isReadable: contentShape.isReadable,
  key: z.string().nullable(),
  headers: z.string(),
  value: z.string().nullable(),
  encoding: z
    .enum(['text', 'base64', 'batch'])
    .describe(
      'Of the value. `base64`: it is no UTF-8. `batch`: a whole record batch, never taken apart, hence not shown.',
    ),
});

export type UnmaskedRecord = z.output<typeof unmaskedRecordSchema>;

const keyLengthMax = 1_024;
const headersMax = 100;
const headerNameLengthMax = 256;
const headerLengthMax = 16 * 1024;

/** No UTF-8 can carry a lone surrogate: it would become something else on the way. */
const wellFormedText = z.string().refine((text) => text.isWellFormed(), { error: 'a lone surrogate' });

/**
 * What a record is to be taken for: each part that is named replaces the whole part that arrived. In headers and a JSON value
 * `•••` keeps the masked value that arrived at the same path.
 */
const correctionSchema = z
  .strictObject({
    key: wellFormedText.max(keyLengthMax).optional(),
    headers: z
      .record(z.string().min(1).max(headerNameLengthMax), wellFormedText.max(headerLengthMax))
      .refine((headers) => Object.keys(headers).length <= headersMax, { error: `more than ${headersMax} headers` })
      .optional(),
    value: z
      .union([wellFormedText.min(1), z.record(z.string(), z.unknown())])
      .optional()
      .describe(
        'Text, or a JSON object. Numbers beyond 2^53 keep their digits in text only. `•••` at a path keeps what arrived there.',
      ),
  })
  .refine((parts) => Object.values(parts).some((part) => part !== undefined), { error: 'names nothing to correct' });

export type QuarantineCorrection = z.output<typeof correctionSchema>;

/** The body of `POST /quarantine/{id}/resubmit`. */
export const resubmitSchema = z.strictObject({
  reason: reasonIfGivenSchema,
  corrected: correctionSchema.optional().describe('Kept beside the record as it arrived, which is never overwritten.'),
});

/** The body of `POST /quarantine/{id}/discard`. */
export const discardSchema = z.strictObject({ reason: reasonSchema });

/** What became of a record. One that would be set aside again is answered with a problem, and stays as it is. */
export const quarantineActionResultSchema = z.object({
  id: z.number().int(),
  result: z.enum(['recorded', 'duplicate', 'ignored', 'discarded']),
  intent: z.string().nullable().describe('The intent it became, or had become already.'),
  reason: z.string().nullable().describe('Why no new intent came of it.'),
  detail: z.string(),
  records: z
    .object({
      recorded: z.number().int(),
      duplicate: z.number().int(),
      ignored: z.number().int(),
      setAside: z.number().int().describe('Each by itself, as a record of its own in quarantine.'),
    })
    .optional()
    .describe('Of a record batch: how many of its records became what.'),
});

export type QuarantineActionResult = z.output<typeof quarantineActionResultSchema>;
