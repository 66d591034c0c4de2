import type { SqlSession, SqlStatement } from '#platform';

import type { SourcePartition } from './batch-to-record.js';

const statement: SqlStatement = {
  name: 'move_offset',
  text: `
UPDATE kafka_offset SET next_offset = $5
WHERE cluster_id = $1 AND topic = $2 AND incarnation = $3 AND partition = $4 AND next_offset <= $5`,
};

/** Moves the stored offset forward; it never goes back within an incarnation. */
export async function moveOffset(session: SqlSession, source: SourcePartition, nextOffset: number): Promise<void> {
  await session.query(statement, [source.clusterId, source.topic, source.incarnation, source.partition, nextOffset]);
}
