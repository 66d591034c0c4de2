import { z } from 'zod';

import { reasonIfGivenSchema, timeSchema } from './common.js';

/** The body of `POST /reload`. */
export const reloadRequestSchema = z.strictObject({ reason: reasonIfGivenSchema });

const programsProcessSchema = z.object({
  id: z.string(),
  host: z.string().describe('The machine or pod it runs on.'),
  roles: z.array(z.string()),
  startedAt: timeSchema,
  heartbeatAt: timeSchema,
  alive: z.boolean().describe('It reported within the last seconds.'),
  answering: z.boolean().describe('It is the one that answers this request.'),
  hash: z.string().describe('Of the programs file that it works by.'),
  since: timeSchema.describe('Since when it works by that file.'),
  problem: z.string().nullable().describe('Why it did not take over the file that it read last.'),
});

export type ProgramsProcess = z.output<typeof programsProcessSchema>;

const standing = {
  agree: z.boolean().describe('All processes that are alive work by the same programs file.'),
  disagreeingSince: timeSchema.nullable(),
  processes: z.array(programsProcessSchema).describe('Oldest first.'),
};

/** Which programs file each process works by. */
export const programsStandingSchema = z.object(standing);

export type ProgramsStanding = z.output<typeof programsStandingSchema>;

/** What `POST /reload` answers; the processes as they stand when all have followed, or after some seconds. */
export const reloadResultSchema = z.object({
  changed: z.boolean().describe('False where this process worked by the same file before.'),
  hash: z.string(),
  programs: z.array(z.string()).describe('Their names in the file.'),
  problems: z.array(z.string()).describe('Of processes that did not follow, each with its host.'),
  ...standing,
});

export type ReloadResult = z.output<typeof reloadResultSchema>;
