import { z } from 'zod';

import { idSchema, timeSchema } from './common.js';

const fromSchema = timeSchema.optional().describe('Default: 24 hours before `to`.');
const toSchema = timeSchema.optional().describe('Default: now.');

/** The query of `GET /series`: 15 minutes to 24 hours. Further back is Prometheus. */
export const seriesQuerySchema = z.strictObject({ from: fromSchema, to: toSchema, program: idSchema.optional() });

export type SeriesQuery = z.output<typeof seriesQuerySchema>;

const count = z.number().int();
const happened = count.nullable();
const stood = count.nullable();
const latency = z.number().nullable();
const ahead = count.nullable();

const pointSchema = z.object({
  at: timeSchema.describe('When the step begins.'),
  received: happened.describe('Intents recorded.'),
  delivered: happened,
  parked: happened.describe('Times that one was parked.'),
  unknown: happened.describe('Attempts that ended without a known outcome.'),
  cancelled: happened,
  quarantined: happened.describe(
    'Records set aside, of whatever program; null where only some programs are asked for.',
  ),
  waiting: stood.describe('Stood so at the end of the step, as the next four.'),
  pending: stood.describe('What is being delivered is pending, too.'),
  stillUnknown: stood,
  stillParked: stood,
  latencyP50Ms: latency.describe('Half of the calls to the partner that ended in the step took no longer.'),
  latencyP95Ms: latency.describe('All but one in twenty took no longer.'),
  lagRecords: ahead.describe('In Kafka and not taken in yet: the most at the end of any minute of the step.'),
  lagSeconds: ahead.describe('How old at most these were: the most at the end of any minute of the step.'),
});

/**
 * What happened in each step, and what stood at its end. Null: nobody knows, since no process of the role operations ran. The
 * last step may not be over yet; the minute that runs is not in it. Latency is without lookups, told to 10 %, and null where
 * there was no call. Lag is of all partitions: null where only some programs are asked for, and where not all who take in
 * could tell theirs.
 */
export const seriesViewSchema = z.object({
  stepSeconds: count.describe('60, 120 or 300: there are no more than 360 steps.'),
  items: z.array(pointSchema).describe('The oldest first, without a step left out.'),
});

export type SeriesView = z.output<typeof seriesViewSchema>;
