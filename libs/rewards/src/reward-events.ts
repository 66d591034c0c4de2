import { z } from 'zod';

import type { EventOf } from '#events/core';
import { identifierSchema, optionalIdentifierSchema } from '#events/core';

const grant = { program: identifierSchema, memberId: identifierSchema, grantId: identifierSchema };

/** `loyalty.reward.granted.v1`: `reward` is our name for it, mapped by the programs file. */
export const rewardGrantedSchema = z.looseObject({
  ...grant,
  reward: identifierSchema,
  purchaseId: optionalIdentifierSchema,
});

/** `loyalty.reward.revoked.v1` */
export const rewardRevokedSchema = z.looseObject({ ...grant, reason: z.string().nullish() });

export type Granted = EventOf<'loyalty.reward.granted.v1', z.infer<typeof rewardGrantedSchema>>;
export type Revoked = EventOf<'loyalty.reward.revoked.v1', z.infer<typeof rewardRevokedSchema>>;
