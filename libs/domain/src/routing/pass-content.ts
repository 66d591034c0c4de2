import type { MemberEnrolled, Program } from '#contracts';
import type { JsonObject, SmsSubscription } from './partner-command.js';

/** The person fields that the partner documents (partner-api.md section 2); others need `personAttributes`. */
export const PERSON_FIELDS = ['firstName', 'lastName', 'email', 'phone'] as const;

/** PassData of partner-api.md section 2 without `metaData`. */
export const PASS_FIELDS = [
  'optOut',
  'points',
  'seat',
  'row',
  'section',
  'gate',
  'expiryDate',
  'status',
  'profileImage',
] as const;

type SmsWord = NonNullable<MemberEnrolled['smsSubscription']>;

const smsNumbers: Readonly<Record<SmsWord, SmsSubscription>> = {
  promotional: 200,
  transactional: 300,
  'opted-out': 900,
};

export function smsSubscriptionOf(word: SmsWord): SmsSubscription {
  return smsNumbers[word];
}

/** The partner's tier, or `null` when the program has no tier of that name. */
export function tierIdOf({ tiers }: Program, tier: string): number | null {
  return Object.hasOwn(tiers, tier) ? (tiers[tier] ?? null) : null;
}

export interface Identified {
  readonly metaData: JsonObject;
  readonly program: Program;
  readonly memberId: string;
}

/**
 * The shop's metaData with the key by which the pass is found again; `null` when the shop uses that key for something
 * else.
 */
export function identifiedMetaData({ metaData, program, memberId }: Identified): JsonObject | null {
  const key = program.uniqueIdKey;
  if (Object.hasOwn(metaData, key) && metaData[key] !== memberId) return null;
  return { ...metaData, [key]: memberId };
}

export const metaDataClash = (program: Program): string =>
  `data.metaData.${program.uniqueIdKey}: is the key that carries the member id`;
