import { z } from 'zod';
import { identifierSchema } from './identifier.js';

const text = z.string().nullish();

/** Personal. The four fields the partner documents, and whatever else the shop knows (kept, sent only where mapped). */
export const personSchema = z.looseObject({ firstName: text, lastName: text, email: text, phone: text });

/** The partner's PassData (partner-api.md section 2) without `metaData`. */
export const passSchema = z.looseObject({
  optOut: z.boolean().nullish(),
  points: z.number().nullish(),
  seat: text,
  row: text,
  section: text,
  gate: text,
  expiryDate: text,
  status: text,
  profileImage: text,
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
  groupId: text,
  message: text,
  smsSubscription: z.enum(SMS_SUBSCRIPTIONS).nullish(),
  pass: passSchema.nullish(),
  metaData: z.record(z.string(), z.unknown()).nullish(),
};

/** `loyalty.member.enrolled.v1` */
export const memberEnrolledSchema = z.looseObject({ ...member, ...memberContent, ipAddress: text });
export type MemberEnrolled = z.infer<typeof memberEnrolledSchema>;

/** How many paths one update may name. */
export const changedPathsMax = 200;

/** `loyalty.member.updated.v1`: only what `changed` names is sent; an explicit `null` there clears. */
export const memberUpdatedSchema = z.looseObject({
  ...member,
  ...memberContent,
  changed: z.array(identifierSchema).max(changedPathsMax),
});
export type MemberUpdated = z.infer<typeof memberUpdatedSchema>;

/** `loyalty.member.opted-out.v1` */
export const memberOptedOutSchema = z.looseObject({
  ...member,
  scope: z.enum(['sms', 'wallet', 'program']),
  erase: z.boolean().nullish(),
});
export type MemberOptedOut = z.infer<typeof memberOptedOutSchema>;

/** How many members one merge may absorb. */
export const absorbedMembersMax = 100;

/** `loyalty.member.merged.v1`: `absorbed` members live on in `memberId`. */
export const memberMergedSchema = z.looseObject({
  ...member,
  absorbed: z.array(identifierSchema).min(1).max(absorbedMembersMax),
});
export type MemberMerged = z.infer<typeof memberMergedSchema>;
