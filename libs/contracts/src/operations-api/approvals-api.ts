import { z } from 'zod';

import { idSchema, intentIdSchema, reasonIfGivenSchema, reasonSchema, timeSchema } from './common.js';

/** What takes a second person where `OPS_TWO_PERSONS` is on. */
export const APPROVAL_KINDS = ['forced-intent', 'forced-replay', 'personal-export', 'erasure'] as const;

/** The body of `POST /approvals/{id}/approve`. */
export const approvalConsentSchema = z.strictObject({
  digest: z
    .string()
    .regex(/^[\da-f]{64}$/, 'not one of ours')
    .describe('`digest` of the request that you have looked at.'),
  reason: reasonIfGivenSchema,
});

/** The body of `POST /approvals/{id}/refuse`. */
export const approvalRefusalSchema = z.strictObject({ reason: reasonSchema });

/** A request that waits, or waited, for a second person. */
export const approvalViewSchema = z.object({
  id: z.string(),
  kind: z.enum(APPROVAL_KINDS),
  program: z.string().nullable().describe('Null: not of one program alone.'),
  target: z.string().describe('What it is about, below `/api/v1`; of a job: where it will be.'),
  request: z.record(z.string(), z.unknown()).describe('What will be done to it, as it was asked for.'),
  digest: z.string().describe('SHA-256 over kind, program, target and request: who approves sends it back.'),
  reason: z.string(),
  state: z.enum(['proposed', 'approved', 'refused', 'withdrawn', 'lapsed']),
  askedAt: timeSchema,
  askedBy: z.string(),
  until: timeSchema.describe('When it lapses.'),
  settledAt: timeSchema.nullable(),
  settledBy: z.string().nullable(),
  settledReason: z.string().nullable(),
});

export type ApprovalView = z.output<typeof approvalViewSchema>;

/** The query of `GET /approvals`: without any of it all that waits or waited. */
export const approvalListQuerySchema = z
  .strictObject({
    intent: intentIdSchema
      .optional()
      .describe(
        'Only what waits for a second person now, and is about this intent: alone, among many, or as all of its member.',
      ),
    program: idSchema.optional().describe('With `memberId`.'),
    memberId: idSchema
      .optional()
      .describe('Only what waits now, and is about this member of `program` or an intent of theirs.'),
  })
  .refine(({ program, memberId }) => (program === undefined) === (memberId === undefined), {
    error: 'goes with memberId',
    path: ['program'],
  })
  .refine(({ intent, program }) => intent === undefined || program === undefined, {
    error: 'name an intent or a member',
    path: ['intent'],
  });

/** The newest first. */
export const approvalListSchema = z.object({ items: z.array(approvalViewSchema) });

export type ApprovalList = z.output<typeof approvalListSchema>;
