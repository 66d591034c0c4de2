import { z } from 'zod';

import { idSchema, INTENT_OPERATIONS, reasonIfGivenSchema, timeSchema } from './common.js';

/** The body of `POST /pauses`, and of `DELETE /pauses`: what is left out is meant as a whole. */
export const pauseRequestSchema = z.strictObject({
  program: idSchema.nullish().describe('Every program when left out.'),
  operation: z.enum(INTENT_OPERATIONS).nullish().describe('Every operation when left out.'),
  reason: reasonIfGivenSchema,
});

export const pauseViewSchema = z.object({
  program: z.string().nullable(),
  operation: z.enum(INTENT_OPERATIONS).nullable(),
  since: timeSchema,
  by: z.string(),
  reason: z.string(),
  automatic: z.boolean().describe('Set by delivery itself, because the partner refused everybody.'),
});

export type PauseView = z.output<typeof pauseViewSchema>;

export const pauseListSchema = z.object({ items: z.array(pauseViewSchema) });

export type PauseList = z.output<typeof pauseListSchema>;

/** `isNew`: false where the same was paused before; that pause stays as it is. */
export const pauseResultSchema = z.object({ pause: pauseViewSchema, isNew: z.boolean() });

export type PauseResult = z.output<typeof pauseResultSchema>;
