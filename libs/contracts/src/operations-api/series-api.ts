import { z } from 'zod';

import { idSchema, timeSchema } from './common.js';

const fromSchema = timeSchema.optional().describe('Default: 24 hours before `to`.');
const toSchema = timeSchema.optional().describe('Default: now.');

/** The query of `GET /series`: 15 minutes to 30 days. */
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
  stepSeconds: count.describe('A minute or more: there are no more than 360 steps.'),
  items: z.array(pointSchema).describe('The oldest first, without a step left out.'),
});

export type SeriesView = z.output<typeof seriesViewSchema>;

/** An event is late that came to Kafka so long after it happened. */
export const lateAfterSeconds = 3_600;

/** The query of `GET /producers`: at most 31 days. */
export const producersQuerySchema = z.strictObject({ from: fromSchema, to: toSchema });

export type ProducersQuery = z.output<typeof producersQuerySchema>;

const producerSchema = z.object({
  source: z.string().nullable().describe('The `source` of its events; null: it could not be read.'),
  store: z.string().nullable().describe('Null: the events name none.'),
  program: z.string().nullable().describe('Null: the events name none, or none that could be read.'),
  isRest: z.boolean().describe('What had no room any more among the 1000 that are told apart in an hour.'),
  events: count.describe('Taken in, whether or not an intent came of them; without those told again.'),
  invalid: count.describe('Set aside, but for contradictions.'),
  late: count.describe('Of `events`: came more than `lateSeconds` after they happened.'),
  duplicates: count.describe('Told again, with the same content.'),
  conflicting: count.describe('Set aside: they contradict what the same event or number said before.'),
  outOfOrder: count.describe('Of `events`: ignored, since something newer had come before.'),
});

/** What each producer has sent, by whole hours. The most events first. */
export const producerListSchema = z.object({
  from: timeSchema.describe('The beginning of the first hour.'),
  to: timeSchema,
  lateSeconds: count,
  items: z.array(producerSchema),
  isPart: z.boolean().describe('There are more than are shown.'),
});

export type ProducerList = z.output<typeof producerListSchema>;
export type ProducerView = z.output<typeof producerSchema>;
