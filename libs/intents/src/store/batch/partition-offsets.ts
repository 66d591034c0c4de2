import type { Database, SqlParameter, SqlSession, SqlStatement } from '#platform';

import { recordFingerprint } from '../sources/record-fingerprint.js';
import type { PartitionRecords, PreparedRecord, SourcePartition } from './recording.js';

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

/** One text per partition, for maps. */
export const placeOf = ({ topic, partition }: Pick<SourcePartition, 'topic' | 'partition'>): string =>
  `${topic}/${partition}`;

/** In the order in which the statements below name them. */
const partitionColumns = (sources: readonly SourcePartition[]): SqlParameter[] => [
  sources.map(({ clusterId }) => clusterId),
  sources.map(({ topic }) => topic),
  sources.map(({ incarnation }) => incarnation),
  sources.map(({ partition }) => partition),
];

const lockOffsetsStatement: SqlStatement = {
  name: 'lock_offsets',
  isRead: true,
  text: `
SELECT o.topic, o.partition, o.next_offset
FROM unnest($1::text[], $2::text[], $3::int[], $4::int[]) AS w (cluster_id, topic, incarnation, partition)
JOIN kafka_offset o USING (cluster_id, topic, incarnation, partition)
ORDER BY o.topic, o.partition
FOR UPDATE OF o`,
};

/**
 * Locks the partitions' stored offsets for this transaction: the fence against a consumer that lost one of them.
 * @returns the next offset to consume, by place; none where the partition has never been seen
 */
export async function lockOffsets(
  session: SqlSession,
  parts: readonly PartitionRecords[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await session.query<Pick<OffsetRow, 'topic' | 'partition' | 'next_offset'>>(
    lockOffsetsStatement,
    partitionColumns(parts.map(({ source }) => source)),
  );
  return new Map(rows.map((row) => [placeOf(row), row.next_offset]));
}

const moveOffsetsStatement: SqlStatement = {
  name: 'move_offsets',
  text: `
UPDATE kafka_offset o SET next_offset = w.next_offset, last_offset = COALESCE(w.last_offset, o.last_offset),
  last_fingerprint = COALESCE(w.last_fingerprint, o.last_fingerprint)
FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::bigint[], $6::bigint[], $7::bytea[])
  AS w (cluster_id, topic, incarnation, partition, next_offset, last_offset, last_fingerprint)
WHERE o.cluster_id = w.cluster_id AND o.topic = w.topic AND o.incarnation = w.incarnation AND o.partition = w.partition
  AND o.next_offset <= w.next_offset`,
};

/** Moves the stored offsets forward; one never goes back within an incarnation. */
export async function moveOffsets(
  session: SqlSession,
  parts: readonly PartitionRecords[],
  macKey: Uint8Array,
): Promise<void> {
  const lasts = parts.map(({ records }) => lastRecord(records, macKey));
  await session.query(moveOffsetsStatement, [
    ...partitionColumns(parts.map(({ source }) => source)),
    parts.map(({ nextOffset }) => nextOffset),
    lasts.map((last) => last?.offset ?? null),
    lasts.map((last) => last?.fingerprint ?? null),
  ]);
}

/** The last record consumed; null where there is none. */
function lastRecord(records: readonly PreparedRecord[], macKey: Uint8Array): LastRecord | null {
  const last = records.at(-1)?.original;
  // A batch that was not taken apart proves nothing: under another limit, records stand where it stood.
  if (last === undefined || last.batch !== undefined) return null;
  return { offset: last.offset, fingerprint: recordFingerprint(last, macKey) };
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
