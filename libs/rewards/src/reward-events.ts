import { z } from 'zod';

import type { EventOf } from '#events/core';
import { identifierSchema, optionalIdentifierSchema, optionalInstantSchema } from '#events/core';

const grant = { program: identifierSchema, memberId: identifierSchema, grantId: identifierSchema };

/** `loyalty.reward.granted.v1`: `reward` is our name for it, mapped by the programs file. */
export const rewardGrantedSchema = z.looseObject({
  ...grant,
  reward: identifierSchema,
  purchaseId: optionalIdentifierSchema,
  /** RFC 3339 with offset: what is not sent by then is not sent. Absent, `null` or empty: it is good for ever. */
  validUntil: optionalInstantSchema,
});

/** `loyalty.reward.revoked.v1` */
export const rewardRevokedSchema = z.looseObject({ ...grant, reason: z.string().nullish() });

export type Granted = EventOf<'loyalty.reward.granted.v1', z.infer<typeof rewardGrantedSchema>>;
export type Revoked = EventOf<'loyalty.reward.revoked.v1', z.infer<typeof rewardRevokedSchema>>;
