import { z } from 'zod';
import { isVisible, saysInvisible } from '../visible-text.js';
import { timeSchema } from './common.js';

/** What `POST /events` and `POST /hooks/{source}` answer once the topic has it. */
export const acceptedSchema = z.object({
  accepted: z.array(
    z.object({
      source: z.string().describe('Whose topic has it, as the programs file names it.'),
      receipt: z
        .string()
        .describe(
          '`PARTITION-OFFSET-TIME`, the time of its record in ms: `GET /events/{source}/{receipt}` says what became of it.',
        ),
      id: z.string().nullable().describe("The event's id; null: a webhook, of which a map makes events."),
    }),
  ),
});

export type Accepted = z.output<typeof acceptedSchema>;

/** In the path of `GET /events/{source}/{id}`. */
export const eventSourceSchema = z
  .string()
  .regex(/^[\s\S]{1,1024}$/, 'not one of ours')
  .refine(isVisible, saysInvisible);

/** What `GET /events/{source}/{id}` answers. */
export const eventStatusSchema = z.object({
  state: z
    .enum(['not-seen', 'read', 'recorded', 'set-aside'])
    .describe(
      '`not-seen`: never sent, or not read yet; `recorded`: it is known, with what it became; `set-aside`: in quarantine; `read`: its record was read and led to nothing more that is told by its receipt: of a CloudEvent ask by its own source and id.',
    ),
  place: z
    .object({ topic: z.string(), partition: z.number().int(), offset: z.number().int() })
    .nullable()
    .describe('Of its record in Kafka, where it is known.'),
  intents: z.array(
    z.object({
      id: z.string().nullable().describe('As `/intents/{id}` takes it; null: to a producer.'),
      operation: z.string(),
      event: z
        .object({ source: z.string(), id: z.string() })
        .nullable()
        .describe('Which event it came of; null: it is erased, or its id may be personal.'),
      eventType: z.string(),
      status: z.string(),
      recordedAt: timeSchema,
    }),
  ),
  quarantine: z
    .object({
      id: z.number().int().nullable().describe('As `/quarantine/{id}` takes it; null: to a producer.'),
      reason: z.string(),
      detail: z.string().describe('Names paths and rules, never a value.'),
      state: z.enum(['open', 'resubmitted', 'discarded']),
    })
    .nullable(),
});

export type EventStatus = z.output<typeof eventStatusSchema>;
