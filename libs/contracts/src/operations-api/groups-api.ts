import { z } from 'zod';

import { INTENT_OPERATIONS, timeSchema } from './common.js';

/** Failures with the same cause. */
export const groupViewSchema = z.object({
  program: z.string(),
  operation: z.enum(INTENT_OPERATIONS),
  status: z.enum(['parked', 'unknown']),
  reason: z.string().nullable(),
  code: z.string().nullable().describe('What their last attempts ended with.'),
  fingerprint: z.string().nullable().describe('Tells refusals with the same wording.'),
  intents: z.number().int(),
  members: z.number().int(),
  firstAt: timeSchema,
  lastAt: timeSchema,
  money: z.array(z.object({ currency: z.string(), minor: z.number().int() })).describe('At stake, by currency.'),
  hours: z.array(z.object({ at: timeSchema, intents: z.number().int() })).describe('How many came, over a day.'),
  query: z.record(z.string(), z.string()).describe('The query of GET /intents that shows them.'),
});

export type GroupView = z.output<typeof groupViewSchema>;

/** The largest first. */
export const groupListSchema = z.object({ items: z.array(groupViewSchema) });

export type GroupList = z.output<typeof groupListSchema>;
