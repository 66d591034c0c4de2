import { z } from 'zod';

import { INTENT_OPERATIONS, moneyViewSchema, reasonIfGivenSchema, timeSchema } from './common.js';

export const NOTICE_CHANNELS = ['webhook', 'mail'] as const;
export const NOTICE_KINDS = ['automatic-pause', 'doubts', 'held-money'] as const;

/** What is wrong with a program. Nothing personal. */
export const noticeConditionSchema = z.object({
  kind: z.enum(NOTICE_KINDS),
  program: z.string(),
  operation: z.enum(INTENT_OPERATIONS).nullable().describe('Of an automatic pause.'),
  factor: z.string().nullable().describe('What all calls have that it holds, such as `store:lisboa`; null: all calls.'),
  reason: z.string().nullable().describe('Why delivery paused them.'),
  intents: z.number().int().nullable().describe('How many are in doubt, or hold the money; null of a pause.'),
  money: moneyViewSchema.nullable().describe('Of held money.'),
});

export type NoticeCondition = z.output<typeof noticeConditionSchema>;

const begunSchema = z.object({
  ...noticeConditionSchema.shape,
  since: timeSchema.describe('When it was first seen.'),
  text: z.string().describe('The same in words.'),
  link: z.url().describe('Where the console shows it.'),
});
const overSchema = z.object({ ...begunSchema.shape, until: timeSchema.describe('When it was seen to be over.') });

/** The body that a webhook receives, signed as the Standard Webhooks specification says. */
export const noticeSchema = z.object({
  type: z.enum(['loyaltyd.notice', 'loyaltyd.trial']).describe('A trial tells of nothing.'),
  timestamp: timeSchema.describe('When it was made: the same however often it is sent.'),
  data: z.object({
    text: z.string().describe('One line.'),
    begun: z.array(begunSchema),
    over: z.array(overSchema).describe('What an earlier notice said had begun.'),
    more: z.number().int().describe('How many more there are, which are not listed.'),
    link: z.url().describe('The console.'),
  }),
});

export type Notice = z.output<typeof noticeSchema>;

const deliverySchema = z.object({
  id: z.string().describe('The `webhook-id` of the webhook.'),
  channel: z.enum(NOTICE_CHANNELS),
  state: z.enum(['under-way', 'delivered', 'given-up']),
  isTrial: z.boolean(),
  text: z.string(),
  madeAt: timeSchema,
  deliveredAt: timeSchema.nullable(),
  attempts: z.number().int(),
  nextAt: timeSchema.nullable().describe('When it is tried again.'),
  problem: z.string().nullable().describe('Why the last attempt failed.'),
});

export type NoticeDelivery = z.output<typeof deliverySchema>;

/** What `GET /notices` answers. */
export const noticesViewSchema = z.object({
  channels: z.array(z.enum(NOTICE_CHANNELS)).describe('To which notices go; empty: nobody is told.'),
  conditions: z
    .array(z.object({ ...noticeConditionSchema.shape, since: timeSchema, text: z.string() }))
    .describe('What stands now, told or not.'),
  deliveries: z.array(deliverySchema).describe('The last ones, the newest first.'),
});

export type NoticesView = z.output<typeof noticesViewSchema>;

/** The body of `POST /notices/trial`. */
export const noticeTrialSchema = z.strictObject({ reason: reasonIfGivenSchema });

export type NoticeTrial = z.output<typeof noticeTrialSchema>;

/** What came of a trial. */
export const noticeTrialResultSchema = z.object({
  deliveries: z.array(deliverySchema).describe('One for each channel.'),
});

export type NoticeTrialResult = z.output<typeof noticeTrialResultSchema>;
