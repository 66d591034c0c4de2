import { z } from 'zod';

import { cursorSchema, idSchema, limitSchema, timeSchema } from './common.js';

/** How a record stands that was set aside: nobody has dealt with it, it was taken in after all, it was given up. */
export const QUARANTINE_STATES = ['open', 'resubmitted', 'discarded'] as const;

/** Which records set aside: what a list and an action in bulk have in common. */
export const quarantineFilterShape = {
  reason: idSchema.optional(),
  detail: idSchema.optional().describe('A part of the detail.'),
  topic: idSchema.optional(),
  from: timeSchema.optional().describe('Set aside at or after.'),
  to: timeSchema.optional().describe('Set aside before.'),
};

/** The query of `GET /quarantine`. */
export const quarantineQuerySchema = z.strictObject({
  state: z.enum(QUARANTINE_STATES).default('open'),
  ...quarantineFilterShape,
  cursor: cursorSchema,
  limit: limitSchema,
});

export type QuarantineQuery = z.output<typeof quarantineQuerySchema>;

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
  settled: settlementSchema.nullable().describe('Who dealt with it, why, and what came of it.'),
});

export type QuarantinedView = z.output<typeof quarantinedViewSchema>;

/** Newest first. */
export const quarantinePageSchema = z.object({
  items: z.array(quarantinedViewSchema),
  nextCursor: z.string().nullable(),
});

export type QuarantinePage = z.output<typeof quarantinePageSchema>;

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
