import { z } from 'zod';
import { partnerNameSchema } from './partner-text.js';

/** A time of day without an offset, `2026-12-01T09:00:00`: it means something only together with a time zone. */
const localDateTimeSchema = z.iso.datetime({ local: true, precision: 0 }).refine((text) => !text.endsWith('Z'), {
  error: 'must be a date and time without an offset',
});

/**
 * When a scheduled change happens: epoch milliseconds (`scheduledTimestamp`), or a date-time and an IANA time zone,
 * which partner-api.md 4.4 provides as a pair.
 */
export const scheduleTimeSchema = z.union([
  z.strictObject({ timestampMs: z.int().nonnegative() }),
  z.strictObject({ dateTime: localDateTimeSchema, timeZone: partnerNameSchema }),
]);

/** The answer of 4.4: a confirmation. Unknown fields are kept. */
export const scheduleAnswerSchema = z.looseObject({ message: z.string() });

export type ScheduleTime = z.infer<typeof scheduleTimeSchema>;

/** A confirmation as it could be read. */
export type ScheduleAnswer = Partial<z.infer<typeof scheduleAnswerSchema>>;
