import { z } from 'zod';

import { timeSchema } from './common.js';

export const CHECK_STATES = ['ok', 'warning', 'failed', 'skipped'] as const;

/** One thing that was looked at. */
export const doctorCheckSchema = z.object({
  name: z
    .string()
    .describe('Stable, such as `postgres.settings`; ends with the topic, program or variable it is about.'),
  state: z
    .enum(CHECK_STATES)
    .describe('`warning`: it works, but not as it should. `skipped`: it was not looked at, `detail` says why.'),
  detail: z.string().describe('Never a secret.'),
  remedy: z.string().nullable().describe('What to do; null where nothing is to be done.'),
});

export type DoctorCheck = z.output<typeof doctorCheckSchema>;

/** What `GET /doctor` answers, and `loyaltyd doctor -o json` prints. */
export const doctorReportSchema = z.object({
  ok: z.boolean().describe('Nothing failed; there may be warnings.'),
  checkedAt: timeSchema,
  durationMs: z.number().int(),
  checks: z.array(doctorCheckSchema),
});

export type DoctorReport = z.output<typeof doctorReportSchema>;
