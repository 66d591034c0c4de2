import type { Database, SqlSession, SqlStatement } from '#platform';
import { SafeError } from '#platform';

import type { SourcePartition } from './batch-to-record.js';

const loadStatement: SqlStatement = {
  name: 'load_offsets',
  text: `
SELECT DISTINCT ON (topic, partition) topic, partition, incarnation, next_offset, last_offset, last_fingerprint
FROM kafka_offset
WHERE cluster_id = $1 AND topic = ANY ($2::text[])
ORDER BY topic, partition, incarnation DESC`,
};

const startStatement: SqlStatement = {
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
  const { rows } = await database.execute<OffsetRow>(loadStatement, [request.clusterId, request.topics]);
  return rows.map(({ topic, partition, incarnation, next_offset: nextOffset, ...row }) => {
    const { last_offset: offset, last_fingerprint: fingerprint } = row;
    const last = offset === null || fingerprint === null ? null : { offset, fingerprint };
    return { topic, partition, incarnation, nextOffset, last };
  });
}

/** Remembers where a partition begins, once: a second caller changes nothing. */
export async function startOffset(database: Database, source: SourcePartition, nextOffset: number): Promise<void> {
  const { clusterId, topic, incarnation, partition } = source;
  await database.execute(startStatement, [clusterId, topic, incarnation, partition, nextOffset]);
}

const lockStatement: SqlStatement = {
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
  const { rows } = await session.query<{ next_offset: number }>(lockStatement, [
    source.clusterId,
    source.topic,
    source.incarnation,
    source.partition,
  ]);
  return rows[0]?.next_offset ?? null;
}

const moveStatement: SqlStatement = {
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
  await session.query(moveStatement, [...parameters, last?.offset ?? null, last?.fingerprint ?? null]);
}

/**
 * The stored offset lies before the batch: recording it would pass over what is in between. Somebody put the offset
 * back, or the database is a restored one.
 */
export class OffsetBehindError extends SafeError {
  override readonly name = 'OffsetBehindError';

  constructor(
    readonly storedOffset: number,
    readonly fromOffset: number,
  ) {
    super(`the stored offset ${storedOffset} lies before the batch, which begins at ${fromOffset}`);
  }
}

const statement: SqlStatement = {
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
  return (await database.execute<IngestedPosition>(statement)).rows;
}
