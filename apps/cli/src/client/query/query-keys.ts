import type { AuditQuery, IntentQuery, ReplayQuery } from '#contracts';

import type { QueryKeys } from './parse-query.js';

/** Types only: the schemas themselves take longer to load than a command takes as a whole. */
type Keys<Q> = Readonly<Record<Exclude<keyof Q, 'cursor' | 'limit'>, readonly string[] | null>>;

const statuses: readonly NonNullable<IntentQuery['status']>[] = [
  'waiting',
  'pending',
  'delivering',
  'unknown',
  'delivered',
  'parked',
  'cancelled',
];

export const operations: readonly NonNullable<IntentQuery['operation']>[] = [
  'issue',
  'issue-via-workflow',
  'update-via-workflow',
  'transaction',
  'reward',
  'schedule-update',
];

/** What selects parked intents. */
export const replayKeys: Keys<ReplayQuery> = {
  status: ['parked'],
  operation: operations,
  program: null,
  memberId: null,
  source: null,
  store: null,
  purchaseId: null,
  reason: null,
  code: null,
  fingerprint: null,
  from: null,
  to: null,
  q: null,
};

/** The keys of `GET /intents`. */
export const intentKeys: Keys<IntentQuery> = { ...replayKeys, status: statuses };

/** What selects records set aside. */
export const quarantineFilterKeys: QueryKeys = { reason: null, detail: null, topic: null, from: null, to: null };

/** The keys of `GET /quarantine`. */
export const quarantineKeys: QueryKeys = { state: ['open', 'resubmitted', 'discarded'], ...quarantineFilterKeys };

export const auditKeys: Keys<AuditQuery> = { actor: null, action: null };

export const replayItemKeys = {
  state: ['waiting', 'sent', 'delivered', 'parked', 'cancelled', 'refused', 'skipped'],
} as const;
