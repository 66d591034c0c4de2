import type { SqlSession, SqlStatement } from '#platform';

import type { SourcePartition } from './batch-to-record.js';

const statement: SqlStatement = {
  name: 'lock_offset',
  isRead: true,
  text: `
SELECT next_offset FROM kafka_offset
WHERE cluster_id = $1 AND topic = $2 AND incarnation = $3 AND partition = $4
FOR UPDATE`,
};

/**
 * Locks the partition's stored offset for this transaction: the fence against a consumer that lost the partition.
 * @returns the next offset to consume, or null when the partition has never been seen
 */
export async function lockOffset(session: SqlSession, source: SourcePartition): Promise<number | null> {
  const { rows } = await session.query<{ next_offset: number }>(statement, [
    source.clusterId,
    source.topic,
    source.incarnation,
    source.partition,
  ]);
  return rows[0]?.next_offset ?? null;
}
