import type { Database, SqlSession, SqlStatement } from '#platform';

import type { SourcePartition } from '../batch/recording.js';
import { timestamp } from '../events/stored-event.js';

/** Records of a partition that are gone before they were consumed: those from `storedOffset` up to `oldestOffset`. */
interface SourceGap {
  readonly source: SourcePartition;
  readonly storedOffset: number;
  readonly oldestOffset: number;
}

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

const acceptGapStatement: SqlStatement = {
  name: 'accept_gap',
  text: `
UPDATE source_gap SET accepted_at = $3::timestamptz, accepted_by = $4, accepted_reason = $5
WHERE topic = $1 AND partition = $2 AND accepted_at IS NULL
RETURNING stored_offset AS "storedOffset", oldest_offset AS "oldestOffset"`,
};

/** An operator accepts that records are lost: their partition continues without them. */
interface GapAcceptance {
  readonly topic: string;
  readonly partition: number;
  readonly by: string;
  readonly reason: string;
  readonly now: number;
}

/** The records given up: from `storedOffset` up to `oldestOffset`, or further where retention goes on meanwhile. */
interface AcceptedGap {
  readonly storedOffset: number;
  readonly oldestOffset: number;
}

/**
 * Accepts the gap that a partition stands at. The process that holds the partition looks every few seconds and goes on.
 * @returns what was accepted; empty when the partition stands at no gap that nobody has accepted yet
 */
export async function acceptGap(database: Database, acceptance: GapAcceptance): Promise<AcceptedGap[]> {
  const { topic, partition, by, reason, now } = acceptance;
  return (await database.execute<AcceptedGap>(acceptGapStatement, [topic, partition, timestamp(now), by, reason])).rows;
}

const listGapsStatement: SqlStatement = {
  name: 'list_gaps',
  text: `
SELECT g.topic, g.partition, stored_offset AS "storedOffset", oldest_offset AS "oldestOffset", found_at AS "foundAt",
  accepted_at AS "acceptedAt"
FROM source_gap g JOIN kafka_offset o ON o.cluster_id = g.cluster_id AND o.topic = g.topic
  AND o.incarnation = g.incarnation AND o.partition = g.partition AND o.next_offset = g.stored_offset
WHERE resumed_at IS NULL ORDER BY found_at`,
};

/** A partition that stands still because records were lost. */
interface OpenGap {
  readonly topic: string;
  readonly partition: number;
  readonly storedOffset: number;
  readonly oldestOffset: number;
  readonly foundAt: number;
  /** Set: its consumer goes on with its next look. */
  readonly acceptedAt: number | null;
}

/** The gaps at which partitions stand still. */
export async function listGaps(database: Database): Promise<OpenGap[]> {
  return (await database.execute<OpenGap>(listGapsStatement)).rows;
}
