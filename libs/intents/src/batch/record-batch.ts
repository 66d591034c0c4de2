import type { Database, SqlSession, SqlStatement } from '#platform';
import { SafeError } from '#platform';

import type { RecordToQuarantine } from '../quarantine/sealed-record.js';
import { insertQuarantine } from '../quarantine/sealed-record.js';
import { recordFingerprint } from '../sources/record-fingerprint.js';
import { lookEarly } from './identities.js';
import { MemberCache } from './members.js';
import { recordRecords } from './record-records.js';
import type {
  BatchResult,
  BatchToRecord,
  IngestKeys,
  PendingWrites,
  PreparedRecord,
  RecordResult,
  SourcePartition,
} from './recording.js';
import { BatchRaceError, repeatRaces, withPendingWrites } from './recording.js';

/** Records in one transaction, at most: 500 is where a bigger batch stops paying (measured, design.md section 4). */
export const recordBatchMax = 500;

/**
 * Records consecutive records of one partition in one transaction: intents, quarantine rows, identities and the moved
 * offset commit together or not at all. Repeating it after a lost acknowledgement is safe: the stored offset drops what
 * is already consumed.
 * @throws {DatabaseError} when nothing is known to be recorded
 * @throws {OffsetBehindError} when the partition does not stand where the batch begins
 */
export async function recordBatch(database: Database, batch: BatchToRecord, keys: IngestKeys): Promise<BatchResult> {
  if (batch.records.length > recordBatchMax) throw new RangeError(`a batch holds at most ${recordBatchMax} records`);
  return repeatRaces((isPessimistic) => {
    const transaction = new BatchTransaction(batch, keys, isPessimistic);
    return database.transaction('record_batch', (session) => transaction.run(session));
  });
}

/** One attempt at recording a batch, all in one transaction. */
class BatchTransaction {
  private readonly members: MemberCache;

  constructor(
    private readonly batch: BatchToRecord,
    private readonly keys: IngestKeys,
    /** An attempt before this one lost a race: what is read is locked, so that it cannot be lost again. */
    private readonly isPessimistic: boolean,
  ) {
    this.members = new MemberCache(keys.members, batch.now);
  }

  async run(session: SqlSession): Promise<BatchResult> {
    return withPendingWrites((writes) => this.recordAll(session, writes));
  }

  private async recordAll(session: SqlSession, writes: PendingWrites): Promise<BatchResult> {
    const { batch, keys, members, isPessimistic } = this;
    // In one round trip: hardly ever is a record consumed already, which need not have been looked for.
    const [stored, , early] = await Promise.all([
      lockOffset(session, batch.source),
      members.learn(session, batch.records),
      lookEarly(session, batch.records, keys.mac),
    ]);
    if (stored === null) throw new BatchRaceError('offset');
    if (stored < batch.fromOffset) throw new OffsetBehindError(stored, batch.fromOffset);
    const { consumed, fresh } = splitConsumed(batch.records, stored);
    if (stored >= batch.nextOffset) return { results: consumed, intents: 0, nextOffset: stored };
    const setAside = this.setAside.bind(this);
    const recording = { context: batch, keys, members, writes, isPessimistic, setAside, early };
    const { results, placed } = await recordRecords(session, fresh, recording);
    writes.add(moveOffset(session, batch.source, { nextOffset: batch.nextOffset, last: this.lastRecord() }));
    writes.commitBehind(session);
    return { results: [...consumed, ...results], intents: placed.length, nextOffset: batch.nextOffset };
  }

  private setAside(session: SqlSession, records: readonly RecordToQuarantine[]): Promise<void> {
    const { quarantine: key, random } = this.keys;
    return insertQuarantine(session, { records, context: this.batch }, { key, random });
  }

  private lastRecord(): LastRecord | null {
    const last = this.batch.records.at(-1)?.original;
    // A batch that was not taken apart proves nothing: under another limit, records stand where it stood.
    if (last === undefined || last.batch !== undefined) return null;
    return { offset: last.offset, fingerprint: recordFingerprint(last, this.keys.mac) };
  }
}

/** Records below the stored offset were consumed before: by us, or by whoever had the partition meanwhile. */
function splitConsumed(
  records: readonly PreparedRecord[],
  storedOffset: number,
): { readonly consumed: RecordResult[]; readonly fresh: PreparedRecord[] } {
  const fresh = records.filter(({ original }) => original.offset >= storedOffset);
  const consumed = records
    .slice(0, records.length - fresh.length)
    .map((): RecordResult => ({ kind: 'ignored', reason: 'already-consumed' }));
  return { consumed, fresh };
}

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

const lockOffsetStatement: SqlStatement = {
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
async function lockOffset(session: SqlSession, source: SourcePartition): Promise<number | null> {
  const { rows } = await session.query<{ next_offset: number }>(lockOffsetStatement, [
    source.clusterId,
    source.topic,
    source.incarnation,
    source.partition,
  ]);
  return rows[0]?.next_offset ?? null;
}

const moveOffsetStatement: SqlStatement = {
  name: 'move_offset',
  text: `
UPDATE kafka_offset SET next_offset = $5, last_offset = COALESCE($6, last_offset),
  last_fingerprint = COALESCE($7, last_fingerprint)
WHERE cluster_id = $1 AND topic = $2 AND incarnation = $3 AND partition = $4 AND next_offset <= $5`,
};

/** Where a partition stands after a batch. */
interface OffsetMove {
  readonly nextOffset: number;
  /** The last record consumed; null where the batch held none. */
  readonly last: LastRecord | null;
}

/** Moves the stored offset forward; it never goes back within an incarnation. */
async function moveOffset(session: SqlSession, source: SourcePartition, move: OffsetMove): Promise<void> {
  const { clusterId, topic, incarnation, partition } = source;
  const { nextOffset, last } = move;
  const parameters = [clusterId, topic, incarnation, partition, nextOffset];
  await session.query(moveOffsetStatement, [...parameters, last?.offset ?? null, last?.fingerprint ?? null]);
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
