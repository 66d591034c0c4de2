import type { KnownIdentity } from '#domain';

import { businessDigest } from './batch-identity.js';
import type { KnownMembers } from './batch-identity.js';
import type { PreparedRecord } from './batch-to-record.js';

/** Keys of what a record wants cancelled: a void's purchase, a revocation's grant. */
export function cancelledKeys({ verdict }: PreparedRecord, members: KnownMembers): Buffer[] {
  if (verdict.kind !== 'routed') return [];
  const keys = verdict.cancels.map((cancel) =>
    cancel.target === 'everything-queued' ? null : businessDigest(cancel, cancel.target, members),
  );
  return keys.filter((key) => key !== null);
}

/** Keys of all that a record refers to: that, and a refund's purchase. */
export function referredKeys(record: PreparedRecord, members: KnownMembers): Buffer[] {
  const { verdict } = record;
  if (verdict.kind !== 'routed') return [];
  const waits = verdict.intents.map((intent) => businessDigest(intent, intent.waitsFor, members));
  return [...waits.filter((key) => key !== null), ...cancelledKeys(record, members)];
}

/** The lanes of what these records want cancelled: another member's, where a record names the wrong one. */
export function cancelledLanes(
  records: readonly PreparedRecord[],
  members: KnownMembers,
  known: ReadonlyMap<string, KnownIdentity>,
): number[] {
  const places = records
    .flatMap((record) => cancelledKeys(record, members))
    .map((key) => known.get(key.toString('hex'))?.place ?? null);
  return places.flatMap((place) => (place === null ? [] : [place.laneId]));
}
