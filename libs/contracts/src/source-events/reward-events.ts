import { z } from 'zod';
import { identifierSchema, optionalIdentifierSchema } from './identifier.js';

const grant = { program: identifierSchema, memberId: identifierSchema, grantId: identifierSchema };

/** `loyalty.reward.granted.v1`: `reward` is our name for it, mapped by the programs file. */
export const rewardGrantedSchema = z.looseObject({
  ...grant,
  reward: identifierSchema,
  purchaseId: optionalIdentifierSchema,
});
export type RewardGranted = z.infer<typeof rewardGrantedSchema>;

/** `loyalty.reward.revoked.v1` */
export const rewardRevokedSchema = z.looseObject({ ...grant, reason: z.string().nullish() });
export type RewardRevoked = z.infer<typeof rewardRevokedSchema>;
