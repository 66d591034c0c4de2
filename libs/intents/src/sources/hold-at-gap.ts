import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { SourceGap } from './source-gap.js';

const noteStatement: SqlStatement = {
  name: 'note_source_gap',
  text: `
INSERT INTO source_gap AS g (cluster_id, topic, incarnation, partition, stored_offset, oldest_offset, found_at)
VALUES ($1, $2, $3, $4, $5, $6, $7::timestamptz)
ON CONFLICT (cluster_id, topic, incarnation, partition, stored_offset) DO UPDATE SET oldest_offset = EXCLUDED.oldest_offset
RETURNING xmax = 0 AS "isNew", g.accepted_at IS NOT NULL AS "isAccepted"`,
};

const jumpStatement: SqlStatement = {
  name: 'jump_source_gap',
  text: `
WITH jumped AS (
  UPDATE kafka_offset SET next_offset = $6, last_offset = NULL, last_fingerprint = NULL
  WHERE cluster_id = $1 AND topic = $2 AND incarnation = $3 AND partition = $4 AND next_offset = $5
  RETURNING partition
)
UPDATE source_gap SET resumed_at = $7::timestamptz
WHERE cluster_id = $1 AND topic = $2 AND incarnation = $3 AND partition = $4 AND stored_offset = $5
  AND EXISTS (SELECT FROM jumped)`,
};

/** What is known of a gap that a partition stands at. */
export interface HeldGap {
  /** Nobody has come upon it before. */
  readonly isNew: boolean;
  /** A person has accepted it: the partition may go on. */
  readonly isAccepted: boolean;
}

/**
 * Remembers that a partition stands at a gap. Once a person has accepted it, the stored offset goes on at the oldest
 * record that there is now: retention does not wait for people.
 */
export async function holdAtGap(database: Database, gap: SourceGap, now: number): Promise<HeldGap> {
  return database.transaction('hold_at_gap', async (session: SqlSession) => {
    const { clusterId, topic, incarnation, partition } = gap.source;
    const parameters = [clusterId, topic, incarnation, partition, gap.storedOffset, gap.oldestOffset, timestamp(now)];
    const { rows } = await session.query<HeldGap>(noteStatement, parameters);
    const { isNew, isAccepted } = rows[0] ?? { isNew: false, isAccepted: false };
    if (isAccepted) await session.query(jumpStatement, parameters);
    return { isNew, isAccepted };
  });
}
