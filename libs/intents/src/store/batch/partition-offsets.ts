import type { Database, SqlStatement } from '#platform';

import type { SourcePartition } from './recording.js';

const loadOffsetsStatement: SqlStatement = {
  name: 'load_offsets',
  text: `
SELECT DISTINCT ON (topic, partition) topic, partition, incarnation, next_offset, last_offset, last_fingerprint
FROM kafka_offset
WHERE cluster_id = $1 AND topic = ANY ($2::text[])
ORDER BY topic, partition, incarnation DESC`,
};

const startOffsetStatement: SqlStatement = {
  name: 'start_offset',
  text: `
INSERT INTO kafka_offset (cluster_id, topic, incarnation, partition, next_offset)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
};

interface OffsetRow {
  readonly topic: string;
  readonly partition: number;
  readonly incarnation: number;
  readonly next_offset: number;
  readonly last_offset: number | null;
  readonly last_fingerprint: Buffer | null;
}

/** The last record consumed of a partition. */
export interface LastRecord {
  readonly offset: number;
  readonly fingerprint: Uint8Array;
}

export interface StoredOffset {
  readonly topic: string;
  readonly partition: number;
  readonly incarnation: number;
  readonly nextOffset: number;
  /** Null when none was consumed yet, or none is known any more. */
  readonly last: LastRecord | null;
}

/** Where every seen partition of these topics stands, in its newest incarnation. */
export async function loadOffsets(
  database: Database,
  request: { readonly clusterId: string; readonly topics: readonly string[] },
): Promise<StoredOffset[]> {
  const { rows } = await database.execute<OffsetRow>(loadOffsetsStatement, [request.clusterId, request.topics]);
  return rows.map(({ topic, partition, incarnation, next_offset: nextOffset, ...row }) => {
    const { last_offset: offset, last_fingerprint: fingerprint } = row;
    const last = offset === null || fingerprint === null ? null : { offset, fingerprint };
    return { topic, partition, incarnation, nextOffset, last };
  });
}

/** Remembers where a partition begins, once: a second caller changes nothing. */
export async function startOffset(database: Database, source: SourcePartition, nextOffset: number): Promise<void> {
  const { clusterId, topic, incarnation, partition } = source;
  await database.execute(startOffsetStatement, [clusterId, topic, incarnation, partition, nextOffset]);
}

const listPositionsStatement: SqlStatement = {
  name: 'list_positions',
  text: `
SELECT DISTINCT ON (topic, partition) topic, partition, next_offset AS "nextOffset" FROM kafka_offset
ORDER BY topic, partition, incarnation DESC`,
};

/** How far a partition has been ingested: everything below `nextOffset`. */
export interface IngestedPosition {
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: number;
}

/** The next offset of every partition that ingest has seen, in its newest incarnation. For one cluster per database. */
export async function listPositions(database: Database): Promise<readonly IngestedPosition[]> {
  return (await database.execute<IngestedPosition>(listPositionsStatement)).rows;
}
