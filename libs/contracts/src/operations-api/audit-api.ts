import { z } from 'zod';

import { cursorSchema, idSchema, limitSchema, timeSchema } from './common.js';

/** The query of `GET /audit`. */
export const auditQuerySchema = z.strictObject({
  actor: idSchema.optional(),
  action: idSchema.optional().describe('Such as `intent.replay`.'),
  cursor: cursorSchema,
  limit: limitSchema,
});

export type AuditQuery = z.output<typeof auditQuerySchema>;

export const auditEntrySchema = z.object({
  id: z.number().int(),
  at: timeSchema,
  actor: z.string(),
  address: z.string().nullable(),
  action: z.string(),
  reason: z.string(),
  member: z.object({ program: z.string(), memberId: z.string() }).nullable(),
  intent: z.string().nullable().describe('The intent it was done to.'),
  detail: z.record(z.string(), z.unknown()).nullable(),
});

export type AuditEntry = z.output<typeof auditEntrySchema>;

/** Newest first. */
export const auditPageSchema = z.object({ items: z.array(auditEntrySchema), nextCursor: z.string().nullable() });

export type AuditPage = z.output<typeof auditPageSchema>;
