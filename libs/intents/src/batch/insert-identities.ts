import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { BatchRaceError } from './batch-race-error.js';

const statement: SqlStatement = {
  name: 'insert_identities',
  text: `
INSERT INTO dedup (key, kind, body_mac, lane_id, seq, seen_on)
SELECT w.*, ($6::timestamptz)::date
FROM unnest($1::bytea[], $2::text[], $3::bytea[], $4::bigint[], $5::int[]) AS w (key, kind, mac, lane_id, seq)
ORDER BY w.key
ON CONFLICT DO NOTHING`,
};

export interface IdentityToInsert {
  readonly key: Uint8Array;
  readonly kind: 'event' | 'business';
  readonly contentMac: Uint8Array;
  readonly laneId: number | null;
  readonly seq: number | null;
}

/**
 * Remembers identities, in key order so that two batches cannot deadlock.
 * @throws {BatchRaceError} when one of them was recorded meanwhile: the whole batch must look again
 */
export async function insertIdentities(
  session: SqlSession,
  identities: readonly IdentityToInsert[],
  now: number,
): Promise<void> {
  if (identities.length === 0) return;
  const { rowCount } = await session.query(statement, [
    identities.map((identity) => identity.key),
    identities.map((identity) => identity.kind),
    identities.map((identity) => identity.contentMac),
    identities.map((identity) => identity.laneId),
    identities.map((identity) => identity.seq),
    timestamp(now),
  ]);
  if (rowCount < identities.length) throw new BatchRaceError('identity');
}
