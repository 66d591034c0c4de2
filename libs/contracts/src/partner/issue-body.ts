import { z } from 'zod';
import { passDataSchema } from './wallet-pass.js';

/** Person input of partner-api.md section 2. Child attributes exist under names that are not shown: kept as mapped. */
export const personInputSchema = z.looseObject({
  firstName: z.string().nullish(),
  lastName: z.string().nullish(),
  email: z.string().nullish(),
  phone: z.string().nullish(),
});

/**
 * PassData as sent: without metaData there is no way to find the pass again, so it must be there. A null clears a
 * field where a workflow updates (4.3).
 */
export const passDataInputSchema = passDataSchema.extend({
  points: z.number().nullish(),
  metaData: z.looseObject({}),
});

/**
 * Body of 4.2 and 4.3 in partner-api.md. The names of the further properties (tier, template, group, message, SMS
 * subscription, IP address, brand and program ids) are not shown: the dialect gives them.
 */
export const issueBodySchema = z.looseObject({ person: personInputSchema.optional(), passdata: passDataInputSchema });

export type IssueBody = z.infer<typeof issueBodySchema>;
