import { z } from 'zod';

/** Longest identifier accepted, in UTF-16 units. Identifiers are stored in the clear and indexed. */
const identifierLengthMax = 256;

// Postgres text cannot hold NUL, and logs and headers must not be broken up by what a till sends.
const controlCharacter = /\p{Cc}/u;

/** True for text without control characters. Lone surrogates are refused earlier, when the JSON is read. */
function isPrintable(text: string): boolean {
  return !controlCharacter.test(text);
}

/** Text of at most `identifierLengthMax` without control characters; may be empty. */
const printableSchema = z
  .string()
  .max(identifierLengthMax)
  .refine(isPrintable, { error: 'control characters are not allowed' });

/** A till's or shop's own number for a thing: not empty, else as `printableSchema`. Compared byte for byte. */
export const identifierSchema = printableSchema.min(1);

/** An identifier that may be missing: absent, `null` and `''` all mean that there is none. */
const optionalIdentifierSchema = printableSchema.nullish();

/** ISO 4217 codes have at most 4 decimal digits (CLF, UYW); tokens and points may have more. */
const minorDigitsMax = 8;

/**
 * Money of contracts.md section 1: integer minor units, never a float. Negative is refused (direction is the event's
 * type), zero is allowed, beyond 2^53 is refused because JSON could not carry it exactly. `digits` says how many of
 * the minor digits stand behind the decimal point; without it ISO 4217 decides.
 */
const moneySchema = z.looseObject({
  minor: z.int().nonnegative(),
  currency: z.string().regex(/^[A-Z]{3}$/),
  digits: z.int().min(0).max(minorDigitsMax).nullish(),
});

export type Money = z.infer<typeof moneySchema>;

const optionalText = z.string().nullish();

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
const SMS_SUBSCRIPTIONS = ['promotional', 'transactional', 'opted-out'] as const;

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
const memberEnrolledSchema = z.looseObject({ ...member, ...memberContent, ipAddress: optionalText });
export type MemberEnrolled = z.infer<typeof memberEnrolledSchema>;

/** How many paths one update may name. */
const changedPathsMax = 200;

/** `loyalty.member.updated.v1`: only what `changed` names is sent; an explicit `null` there clears. */
const memberUpdatedSchema = z.looseObject({
  ...member,
  ...memberContent,
  changed: z.array(identifierSchema).max(changedPathsMax),
});

/** `loyalty.member.opted-out.v1` */
const memberOptedOutSchema = z.looseObject({
  ...member,
  scope: z.enum(['sms', 'wallet', 'program']),
  erase: z.boolean().nullish(),
});

/** How many members one merge may absorb. */
const absorbedMembersMax = 100;

/** `loyalty.member.merged.v1`: `absorbed` members live on in `memberId`. */
const memberMergedSchema = z.looseObject({
  ...member,
  absorbed: z.array(identifierSchema).min(1).max(absorbedMembersMax),
});

/** How many lines one purchase may have. */
const purchaseLinesMax = 5000;

const purchase = {
  program: identifierSchema,
  /** Absent, `null` or empty: bought without a card. Such a purchase or refund is ignored and counted; a void needs none. */
  memberId: optionalIdentifierSchema,
  purchaseId: identifierSchema,
  storeId: optionalIdentifierSchema,
  attributes: z.record(z.string(), z.unknown()).nullish(),
};

const lineSchema = z.looseObject({ sku: optionalText, quantity: z.number().nullish(), net: moneySchema.nullish() });

/** `loyalty.purchase.completed.v1` */
const purchaseCompletedSchema = z.looseObject({
  ...purchase,
  channel: optionalText,
  total: moneySchema,
  lines: z.array(lineSchema).max(purchaseLinesMax).nullish(),
});

/**
 * The purchase that is meant, where the till that takes it back would name another by its own data: every part of the
 * program's `purchaseKey`.
 */
const originalSchema = z.looseObject({ purchaseId: optionalIdentifierSchema, storeId: optionalIdentifierSchema });

/** `loyalty.purchase.refunded.v1`: one event per refund, amounts positive. */
const purchaseRefundedSchema = z.looseObject({
  ...purchase,
  refundId: identifierSchema,
  total: moneySchema,
  reason: optionalText,
  original: originalSchema.nullish(),
});

/** `loyalty.purchase.voided.v1`: the till took the purchase back before it was settled. */
const purchaseVoidedSchema = z.looseObject({
  ...purchase,
  total: moneySchema.nullish(),
  reason: optionalText,
  original: originalSchema.nullish(),
});

const grant = { program: identifierSchema, memberId: identifierSchema, grantId: identifierSchema };

/** `loyalty.reward.granted.v1`: `reward` is our name for it, mapped by the programs file. */
const rewardGrantedSchema = z.looseObject({
  ...grant,
  reward: identifierSchema,
  purchaseId: optionalIdentifierSchema,
});

/** `loyalty.reward.revoked.v1` */
const rewardRevokedSchema = z.looseObject({ ...grant, reason: z.string().nullish() });

/** Longest `source` or `subject` accepted: both may carry a path. */
const sourceLengthMax = 1024;

const uriText = z.string().max(sourceLengthMax).refine(isPrintable, { error: 'control characters are not allowed' });

/** W3C Trace Context, section 3.2: version ff and ids of zeros alone are invalid. */
const w3cTraceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * The CloudEvents attributes we read. `source` should be a URI-reference; it is compared, never followed, so any text
 * will do. `sequence` (CloudEvents extension) is text; a JSON integer is taken by its digits. Of the optional ones ''
 * means unset. A broken `traceparent` costs a trace, never an event. `time` is checked apart, against the clock.
 */
export const frameShape = {
  id: identifierSchema,
  source: uriText.min(1),
  type: identifierSchema,
  subject: uriText.nullish().transform(emptyToNull),
  sequence: z.union([z.int().transform(String), optionalIdentifierSchema.transform(emptyToNull)]),
  traceparent: z.unknown().optional().transform(readTraceparent),
};

function emptyToNull(text: string | null | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

function readTraceparent(value: unknown): string | null {
  return typeof value === 'string' && w3cTraceparent.test(value) ? value : null;
}

/** The nine event types of contracts.md section 1, without a producer's reverse-DNS prefix, and what `data` must be. */
export const SOURCE_EVENT_SCHEMAS = {
  'loyalty.member.enrolled.v1': memberEnrolledSchema,
  'loyalty.member.updated.v1': memberUpdatedSchema,
  'loyalty.member.opted-out.v1': memberOptedOutSchema,
  'loyalty.member.merged.v1': memberMergedSchema,
  'loyalty.purchase.completed.v1': purchaseCompletedSchema,
  'loyalty.purchase.refunded.v1': purchaseRefundedSchema,
  'loyalty.purchase.voided.v1': purchaseVoidedSchema,
  'loyalty.reward.granted.v1': rewardGrantedSchema,
  'loyalty.reward.revoked.v1': rewardRevokedSchema,
} as const;

export type SourceEventName = keyof typeof SOURCE_EVENT_SCHEMAS;

/** The CloudEvents 1.0 attributes of one record, after validation. */
export interface SourceEventFrame {
  readonly id: string;
  readonly source: string;
  /** As sent, a reverse-DNS prefix included. */
  readonly type: string;
  readonly subject: string | null;
  /** As sent: RFC 3339 with offset. */
  readonly time: string;
  /** `time` in epoch milliseconds, digits below a millisecond cut off. */
  readonly timeMs: number;
  readonly sequence: string | null;
  readonly traceparent: string | null;
  /** `data` as sent, with fields that no schema knows: what the identity of the event is compared by. Its values are JSON. */
  readonly sentData: unknown;
}

/** One event type with its validated data; `name` is the type without prefix. */
export interface SourceEventOf<Name extends SourceEventName> extends SourceEventFrame {
  readonly name: Name;
  readonly data: z.infer<(typeof SOURCE_EVENT_SCHEMAS)[Name]>;
}

/** A validated source event: a union on `name`. */
export type SourceEvent = { [Name in SourceEventName]: SourceEventOf<Name> }[SourceEventName];

const root = 'loyalty.';
const reverseDns = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

/**
 * A type without its reverse-DNS prefix: `com.acme.loyalty.purchase.completed.v1` is `loyalty.purchase.completed.v1`.
 * `null` when it is not one of ours by form; whether it is known is another question.
 */
export function stripTypePrefix(type: string): string | null {
  if (type.startsWith(root)) return type;
  const at = type.lastIndexOf(`.${root}`);
  if (at <= 0 || !reverseDns.test(type.slice(0, at))) return null;
  return type.slice(at + 1);
}

/** True for each event type. */
export function isSourceEventName(name: string): name is SourceEventName {
  return Object.hasOwn(SOURCE_EVENT_SCHEMAS, name);
}
