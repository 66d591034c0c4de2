import type { Database, SqlStatement } from '#platform';

import type { SourcePartition } from './batch-to-record.js';

const loadStatement: SqlStatement = {
  name: 'load_offsets',
  text: `
SELECT DISTINCT ON (topic, partition) topic, partition, incarnation, next_offset FROM kafka_offset
WHERE cluster_id = $1 AND topic = ANY ($2::text[])
ORDER BY topic, partition, incarnation DESC`,
};

const startStatement: SqlStatement = {
  name: 'start_offset',
  text: `
INSERT INTO kafka_offset (cluster_id, topic, incarnation, partition, next_offset)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
};

export interface StoredOffset {
  readonly topic: string;
  readonly partition: number;
  readonly incarnation: number;
  readonly nextOffset: number;
}

/** Where every seen partition of these topics stands, in its newest incarnation. */
export async function loadOffsets(
  database: Database,
  request: { readonly clusterId: string; readonly topics: readonly string[] },
): Promise<StoredOffset[]> {
  const { rows } = await database.execute<{
    topic: string;
    partition: number;
    incarnation: number;
    next_offset: number;
  }>(loadStatement, [request.clusterId, request.topics]);
  return rows.map((row) => ({
    topic: row.topic,
    partition: row.partition,
    incarnation: row.incarnation,
    nextOffset: row.next_offset,
  }));
}

/** Remembers where a partition begins, once: a second caller's word does not count. */
export async function startOffset(database: Database, source: SourcePartition, nextOffset: number): Promise<void> {
  const { clusterId, topic, incarnation, partition } = source;
  await database.execute(startStatement, [clusterId, topic, incarnation, partition, nextOffset]);
}
