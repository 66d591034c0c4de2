import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

const statement: SqlStatement = {
  name: 'accept_gap',
  text: `
UPDATE source_gap SET accepted_at = $3::timestamptz, accepted_by = $4, accepted_reason = $5
WHERE topic = $1 AND partition = $2 AND accepted_at IS NULL
RETURNING stored_offset AS "storedOffset", oldest_offset AS "oldestOffset"`,
};

/** A person's word that records are lost, and that their partition shall go on without them. */
export interface GapAcceptance {
  readonly topic: string;
  readonly partition: number;
  readonly by: string;
  readonly reason: string;
  readonly now: number;
}

/** The records given up: from `storedOffset` up to `oldestOffset`, or further where retention goes on meanwhile. */
export interface AcceptedGap {
  readonly storedOffset: number;
  readonly oldestOffset: number;
}

/**
 * Accepts the gap that a partition stands at. The process that holds the partition looks every few seconds and goes on.
 * @returns what was accepted; empty when the partition stands at no gap that nobody has accepted yet
 */
export async function acceptGap(database: Database, acceptance: GapAcceptance): Promise<AcceptedGap[]> {
  const { topic, partition, by, reason, now } = acceptance;
  return (await database.execute<AcceptedGap>(statement, [topic, partition, timestamp(now), by, reason])).rows;
}
