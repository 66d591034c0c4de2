import { z } from 'zod';
import { issueBodySchema } from '../contract/wallet-pass.js';
import { activeStatus } from '../passes/status.js';

/**
 * A pass that is there before anybody calls: the body of an issue, its unique identifier included, and what no call can
 * give it, so that the listing's filters have something to find.
 */
export const presetPassSchema = z
  .strictObject({
    ...issueBodySchema.shape,
    statusCode: z.string().min(1).optional(),
    status: z.int().nonnegative().optional(),
    /** When it was issued and last updated: ISO 8601 with an offset, or epoch milliseconds. Absent: now. */
    updatedAt: z
      .union([z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)), z.int().nonnegative()])
      .optional(),
  })
  .refine((pass) => (pass.statusCode === undefined) === (pass.status === undefined), {
    error: 'statusCode and status are given as a pair',
    path: ['status'],
  })
  .transform(({ statusCode, status, updatedAt, ...content }) => ({
    content,
    updatedAt: updatedAt ?? null,
    status: statusCode === undefined || status === undefined ? activeStatus : { statusCode, status },
  }));

export type PresetPass = z.output<typeof presetPassSchema>;
