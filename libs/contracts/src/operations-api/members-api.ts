import { z } from 'zod';

import { reasonIfGivenSchema, timeSchema } from './common.js';
import { intentViewSchema } from './intents-api.js';

const passSchema = z.object({
  passId: z.union([z.string(), z.number()]).nullable(),
  serialNumber: z.string().nullable(),
  downloadUrl: z.string().nullable(),
  downloadUrlApple: z.string().nullable(),
  downloadUrlGoogle: z.string().nullable(),
  statusCode: z.unknown(),
});

/** One member: the pass, what is queued, and what came last. */
export const memberViewSchema = z.object({
  program: z.string(),
  memberId: z.string(),
  generation: z.number().int().describe('Rises when somebody who left enrols again.'),
  createdAt: timeSchema,
  isErased: z.boolean(),
  pass: passSchema.nullable().describe('As the partner last answered.'),
  passKnown: z.enum(['unknown', 'absent', 'known']),
  lane: z.object({
    state: z.enum(['live', 'waiting', 'blocked']),
    dueAt: timeSchema.nullable(),
    isHeld: z.boolean().describe('A process is working on it.'),
    next: z.string().nullable().describe('The intent that comes next.'),
    queued: z.number().int(),
  }),
  intents: z.array(intentViewSchema).describe('The newest; GET /intents?memberId= has them all.'),
});

export type MemberView = z.output<typeof memberViewSchema>;

/** The body of `POST /members/{program}/{memberId}/unmask`. */
export const unmaskSchema = z.strictObject({ reason: reasonIfGivenSchema });

/** The newest intents of a member with everything in them, personal values too. Who asked is kept. */
export const unmaskedMemberSchema = z.object({
  program: z.string(),
  memberId: z.string(),
  intents: z.array(
    z.object({
      id: z.string(),
      isErased: z.boolean(),
      command: z.unknown(),
      sourceRecord: z.object({ headers: z.string(), value: z.string() }).nullable(),
      events: z.array(z.object({ version: z.number().int(), type: z.string(), at: timeSchema, evidence: z.unknown() })),
    }),
  ),
});

export type UnmaskedMember = z.output<typeof unmaskedMemberSchema>;
