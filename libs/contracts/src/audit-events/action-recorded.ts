import { z } from 'zod';

/** The event type of the audit topic (contracts.md section 1). */
export const ACTION_RECORDED = 'loyalty.action.recorded.v1';

/**
 * `loyalty.action.recorded.v1`: a person did something. Neither why, nor from where, nor to whom: a topic cannot be erased.
 * `GET /audit` has the rest, by the number.
 */
export const actionRecordedSchema = z.object({
  number: z
    .int()
    .describe('`id` in GET /audit. Rises; a number may be missing: what was to be done then was not done.'),
  actor: z
    .string()
    .describe('The name of the token, or of the system user on the machine; `loyaltyd`: the daemon itself.'),
  role: z
    .enum(['viewer', 'operator', 'admin'])
    .nullable()
    .describe(
      'In which they acted; of a job, of who asked for it. Null: the command line on the machine, or the daemon.',
    ),
  action: z.string().describe('Such as `intent.replay`.'),
  kind: z.string().describe('What it was done to: `action` up to its dot.'),
  program: z
    .string()
    .nullable()
    .describe('The only program that it is about; null: none, several, or one that no programs file knows.'),
  member: z
    .string()
    .nullable()
    .describe(
      'A pseudonym, the same for all that is done to a member until they are erased; null: no one member, or erased.',
    ),
});

export type ActionRecorded = z.infer<typeof actionRecordedSchema>;
