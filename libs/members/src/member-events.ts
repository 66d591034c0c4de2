import { z } from 'zod';

import type { EventOf } from '#events/core';
import { identifierSchema, optionalText } from '#events/core';

/** Personal. The four fields the partner documents, and whatever else the shop knows (kept, sent only where mapped). */
const personSchema = z.looseObject({
  firstName: optionalText,
  lastName: optionalText,
  email: optionalText,
  phone: optionalText,
});

/** The partner's PassData (partner-api.md section 2) without `metaData`. */
const passSchema = z.looseObject({
  optOut: z.boolean().nullish(),
  points: z.number().nullish(),
  seat: optionalText,
  row: optionalText,
  section: optionalText,
  gate: optionalText,
  expiryDate: optionalText,
  status: optionalText,
  profileImage: optionalText,
});

/** Our words for the partner's 200, 300 and 900. */
export const SMS_SUBSCRIPTIONS = ['promotional', 'transactional', 'opted-out'] as const;

const member = {
  program: identifierSchema,
  memberId: identifierSchema,
};

const memberContent = {
  person: personSchema.nullish(),
  tier: identifierSchema.nullish(),
  groupId: optionalText,
  message: optionalText,
  smsSubscription: z.enum(SMS_SUBSCRIPTIONS).nullish(),
  pass: passSchema.nullish(),
  metaData: z.record(z.string(), z.unknown()).nullish(),
};

/** `loyalty.member.enrolled.v1` */
export const memberEnrolledSchema = z.looseObject({ ...member, ...memberContent, ipAddress: optionalText });

/** How many paths one update may name. */
const changedPathsMax = 200;

/** `loyalty.member.updated.v1`: only what `changed` names is sent; an explicit `null` there clears. */
export const memberUpdatedSchema = z.looseObject({
  ...member,
  ...memberContent,
  changed: z.array(identifierSchema).max(changedPathsMax),
});

/** What a member no longer wants. */
export const OPT_OUT_SCOPES = ['sms', 'email', 'wallet', 'program'] as const;

/** `loyalty.member.opted-out.v1` */
export const memberOptedOutSchema = z.looseObject({
  ...member,
  scope: z.enum(OPT_OUT_SCOPES),
  erase: z.boolean().nullish(),
});

/** How many members one merge may absorb. */
const absorbedMembersMax = 100;

/** `loyalty.member.merged.v1`: `absorbed` members live on in `memberId`; `loyalty.member.unmerged.v1`: they do so no longer. */
export const memberMergedSchema = z.looseObject({
  ...member,
  absorbed: z.array(identifierSchema).min(1).max(absorbedMembersMax),
});

export type Enrolled = EventOf<'loyalty.member.enrolled.v1', z.infer<typeof memberEnrolledSchema>>;
export type Updated = EventOf<'loyalty.member.updated.v1', z.infer<typeof memberUpdatedSchema>>;
export type OptedOut = EventOf<'loyalty.member.opted-out.v1', z.infer<typeof memberOptedOutSchema>>;
export type Merged = EventOf<'loyalty.member.merged.v1', z.infer<typeof memberMergedSchema>>;
export type Unmerged = EventOf<'loyalty.member.unmerged.v1', z.infer<typeof memberMergedSchema>>;
