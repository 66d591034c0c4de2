import type { Database, SqlParameter, SqlSession, SqlStatement } from '#platform';
import { SafeError } from '#platform';

import type { RecordToQuarantine } from '../quarantine/sealed-record.js';
import { insertQuarantine } from '../quarantine/sealed-record.js';
import { recordFingerprint } from '../sources/record-fingerprint.js';
import { lookEarly } from './identities.js';
import { MemberCache } from './members.js';
import type { RecordedRecords } from './record-records.js';
import { recordRecords } from './record-records.js';
import type {
  BatchesToRecord,
  BatchResult,
  BatchToRecord,
  IngestKeys,
  OriginalRecord,
  PartitionRecords,
  PendingWrites,
  PreparedRecord,
  RecordingContext,
  RecordResult,
  SourcePartition,
} from './recording.js';
import { BatchRaceError, repeatRaces, withPendingWrites } from './recording.js';

/** Records in one transaction, at most: 500 is where a bigger batch stops paying (measured). */
export const recordBatchMax = 500;

/**
 * Records consecutive records of one partition in one transaction: intents, quarantine rows, identities and the moved
 * offset commit together or not at all. Repeating it after a lost acknowledgement is safe: the stored offset drops what
 * is already consumed.
 * @throws {DatabaseError} when nothing is known to be recorded
 * @throws {OffsetBehindError} when the partition does not stand where the batch begins
 */
export async function recordBatch(database: Database, batch: BatchToRecord, keys: IngestKeys): Promise<BatchResult> {
  const [result] = await recordBatches(database, { ...batch, parts: [batch] }, keys);
  if (result === undefined) throw new Error('a batch has no result');
  return result;
}

/**
 * As `recordBatch`, of several partitions in one transaction: all of them or none.
 * @returns one result for each part, in their order
 */
export async function recordBatches(
  database: Database,
  batches: BatchesToRecord,
  keys: IngestKeys,
): Promise<readonly BatchResult[]> {
  const count = batches.parts.reduce((sum, { records }) => sum + records.length, 0);
  if (count > recordBatchMax) throw new RangeError(`a batch holds at most ${recordBatchMax} records`);
  return repeatRaces((isPessimistic) => {
    const transaction = new BatchTransaction(batches, keys, isPessimistic);
    return database.transaction('record_batch', (session) => transaction.run(session));
  });
}

/** Records of a partition, and where it stands. */
interface LockedPart extends PartitionRecords {
  readonly stored: number;
  /** Records below the stored offset were consumed before: by us, or by whoever had the partition meanwhile. */
  readonly fresh: readonly PreparedRecord[];
}

/** One attempt at recording records, all in one transaction. */
class BatchTransaction {
  private readonly members: MemberCache;
  private readonly partOf: (record: OriginalRecord) => PartitionRecords;

  constructor(
    private readonly batches: BatchesToRecord,
    private readonly keys: IngestKeys,
    /** An attempt before this one lost a race: what is read is locked, so that it cannot be lost again. */
    private readonly isPessimistic: boolean,
  ) {
    this.members = new MemberCache(keys.members, batches.now);
    this.partOf = partsByRecord(batches.parts);
  }

  async run(session: SqlSession): Promise<BatchResult[]> {
    return withPendingWrites((writes) => this.recordAll(session, writes));
  }

  private async recordAll(session: SqlSession, writes: PendingWrites): Promise<BatchResult[]> {
    const { keys, members, context } = this;
    const all = this.batches.parts.flatMap(({ records }) => records);
    // In one round trip: hardly ever is a record consumed already, which need not have been looked for.
    const [offsets, , early] = await Promise.all([
      lockOffsets(session, this.batches.parts),
      members.learn(session, all),
      lookEarly(session, all, keys.mac),
    ]);
    const parts = this.batches.parts.map((part) => lockedPart(part, offsets.get(placeOf(part.source))));
    const moved = parts.filter(({ stored, nextOffset }) => stored < nextOffset);
    if (moved.length === 0) return this.resultsOf(parts, { results: [], placed: [] });
    const fresh = moved.flatMap((part) => part.fresh);
    const { isPessimistic } = this;
    const setAside = this.setAside.bind(this);
    const recording = { context, keys, members, writes, isPessimistic, setAside, early };
    const recorded = await recordRecords(session, fresh, recording);
    writes.add(moveOffsets(session, moved, keys.mac));
    writes.commitBehind(session);
    return this.resultsOf(parts, recorded);
  }

  private get context(): RecordingContext {
    const { now, programsHash } = this.batches;
    return { now, programsHash, sourceOf: (record) => this.partOf(record).source };
  }

  private setAside(session: SqlSession, records: readonly RecordToQuarantine[]): Promise<void> {
    const { quarantine: key, random } = this.keys;
    const { hasDeadLetters = true } = this.batches;
    return insertQuarantine(session, { records, context: this.context, hasDeadLetters }, { key, random });
  }

  private resultsOf(parts: readonly LockedPart[], { results, placed }: RecordedRecords): BatchResult[] {
    const placedOf = Map.groupBy(placed, ({ record }) => this.partOf(record.original).source);
    let told = 0;
    return parts.map(({ source, records, fresh, stored, nextOffset }) => {
      const consumed = Array<RecordResult>(records.length - fresh.length).fill(alreadyConsumed);
      const recorded = results.slice(told, (told += fresh.length));
      const intents = placedOf.get(source)?.length ?? 0;
      return { results: [...consumed, ...recorded], intents, nextOffset: Math.max(stored, nextOffset) };
    });
  }
}

const alreadyConsumed: RecordResult = { kind: 'ignored', reason: 'already-consumed' };

/** Of one partition, the usual case, nothing needs to be looked up. */
function partsByRecord(parts: readonly PartitionRecords[]): (record: OriginalRecord) => PartitionRecords {
  const [first] = parts;
  if (first === undefined) throw new RangeError('a batch is of one partition at least');
  if (parts.length === 1) return () => first;
  const byRecord = new Map(parts.flatMap((part) => part.records.map(({ original }) => [original, part] as const)));
  return (record) => byRecord.get(record) ?? first;
}

function lockedPart(part: PartitionRecords, stored: number | undefined): LockedPart {
  if (stored === undefined) throw new BatchRaceError('offset');
  if (stored < part.fromOffset) throw new OffsetBehindError(stored, part.fromOffset);
  return { ...part, stored, fresh: part.records.filter(({ original }) => original.offset >= stored) };
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

const placeOf = ({ topic, partition }: Pick<SourcePartition, 'topic' | 'partition'>): string => `${topic}/${partition}`;

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
async function lockOffsets(
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
async function moveOffsets(session: SqlSession, parts: readonly PartitionRecords[], macKey: Uint8Array): Promise<void> {
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
