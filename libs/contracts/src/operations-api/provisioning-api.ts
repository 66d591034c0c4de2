import { z } from 'zod';

import { partnerIdSchema } from '../programs/scalars.js';
import { reasonSchema, timeSchema } from './common.js';

/** The body of `POST /provisionings/steps/{stepId}/resolve`. */
export const stepResolutionSchema = z.strictObject({
  reason: reasonSchema,
  as: z
    .enum(['created', 'not-created'])
    .describe('`created`: it took effect at the partner. `not-created`: it did not; the next apply makes it again.'),
  partnerId: partnerIdSchema
    .optional()
    .describe("The partner's id of what was made. Needed for a brand attribute: it is changed by its id."),
});

const content = z.record(z.string(), z.union([z.string(), z.boolean()]));

/** How something stands that we set up at the partner, or meant to. */
export const provisionedViewSchema = z.object({
  kind: z.enum(['brand-attribute', 'transaction-type', 'transaction-attribute', 'template']),
  brandId: z.string(),
  programId: z.string().nullable(),
  transactionTypeId: z.string().nullable(),
  name: z.string(),
  action: z.enum(['create', 'update']).describe('Of the last call about it.'),
  state: z.enum(['begun', 'created', 'updated', 'refused', 'not-applied', 'unknown']),
  inDoubt: z.boolean().describe('The call may have taken effect: look at the partner, then resolve the step.'),
  stepId: z.string(),
  partnerId: z.string().nullable(),
  content: content.describe('What that call was to put in place.'),
  placed: content.nullable().describe('What is there as far as we know.'),
  at: timeSchema,
  job: z.string().nullable(),
  actor: z.string().nullable().describe('Who said what became of it; null: the partner answered.'),
  evidence: z.record(z.string(), z.unknown()).nullable(),
});

export type ProvisionedView = z.output<typeof provisionedViewSchema>;

export const provisionedListSchema = z.object({ items: z.array(provisionedViewSchema) });

export type ProvisionedList = z.output<typeof provisionedListSchema>;
