/** Why a source event comes to nothing: counted, never set aside. */
export const IGNORED_REASONS = [
  'no-member',
  'unknown-program',
  'nothing-changed',
  'not-mapped',
  'void-after-delivery',
  'nothing-to-cancel',
  'tombstone',
  'stale',
  'duplicate-event',
  'duplicate-business-key',
  'other-cell',
] as const;

export type IgnoredReason = (typeof IGNORED_REASONS)[number];

/** Why a record is set aside (contracts.md section 1, What bad input gets). */
export const QUARANTINE_REASONS = [
  'unreadable',
  'oversized',
  'invalid',
  'unsupported-type',
  'unknown-program',
  'unroutable',
  'conflict',
] as const;

export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];
