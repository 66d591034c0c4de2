import { z } from 'zod';

import { cursorSchema, idSchema, limitSchema, timeSchema } from './common.js';

/** The query of `GET /quarantine`. */
export const quarantineQuerySchema = z.strictObject({
  reason: idSchema.optional(),
  topic: idSchema.optional(),
  cursor: cursorSchema,
  limit: limitSchema,
});

export type QuarantineQuery = z.output<typeof quarantineQuerySchema>;

/** A source record that could not become an intent. */
export const quarantinedViewSchema = z.object({
  id: z.number().int(),
  reason: z.string(),
  detail: z.string().describe('Paths and rules, never a value.'),
  topic: z.string(),
  partition: z.number().int(),
  offset: z.number().int(),
  bytes: z.number().int().describe('Of its value.'),
  producedAt: timeSchema.describe('The timestamp of the record.'),
  recordedAt: timeSchema,
});

export type QuarantinedView = z.output<typeof quarantinedViewSchema>;

/** Newest first. */
export const quarantinePageSchema = z.object({
  items: z.array(quarantinedViewSchema),
  nextCursor: z.string().nullable(),
});

export type QuarantinePage = z.output<typeof quarantinePageSchema>;

/** With the record as it arrived: personal values masked where it is JSON, all of it where it is not. */
export const quarantinedDetailsSchema = quarantinedViewSchema.extend({
  isReadable: z.boolean().describe('False where no key opens the bytes any more.'),
  key: z.string().nullable(),
  headers: z.string(),
  value: z.string().nullable(),
  encoding: z.enum(['text', 'masked']).describe('`masked`: no JSON, hence not shown.'),
});

export type QuarantinedDetails = z.output<typeof quarantinedDetailsSchema>;
