import type { SqlSession, SqlStatement } from '#platform';

import type { SourcePartition } from './batch-to-record.js';

const statement: SqlStatement = {
  name: 'move_offset',
  text: `
UPDATE kafka_offset SET next_offset = $5, last_offset = COALESCE($6, last_offset),
  last_fingerprint = COALESCE($7, last_fingerprint)
WHERE cluster_id = $1 AND topic = $2 AND incarnation = $3 AND partition = $4 AND next_offset <= $5`,
};

/** Where a partition stands after a batch. */
export interface OffsetMove {
  readonly nextOffset: number;
  /** The last record consumed; null where the batch held none. */
  readonly last: { readonly offset: number; readonly fingerprint: Uint8Array } | null;
}

/** Moves the stored offset forward; it never goes back within an incarnation. */
export async function moveOffset(session: SqlSession, source: SourcePartition, move: OffsetMove): Promise<void> {
  const { clusterId, topic, incarnation, partition } = source;
  const { nextOffset, last } = move;
  const parameters = [clusterId, topic, incarnation, partition, nextOffset];
  await session.query(statement, [...parameters, last?.offset ?? null, last?.fingerprint ?? null]);
}
