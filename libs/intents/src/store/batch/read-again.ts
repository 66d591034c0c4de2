import { Injectable } from '@nestjs/common';

import type { SqlSession, SqlStatement } from '#platform';
import { Database, SafeError } from '#platform';

import { insertQuarantine } from '../quarantine/sealed-record.js';
import { recordSetAside } from './chunk-repository.js';
import type { BatchToRecord, OriginalRecord, PreparedRecord, RecordResult } from './recording.js';
import { IngestKeys, recordingWhole, repeatRaces } from './recording.js';

/** What is read again is not ingested yet: it is ingest's, and would be nobody's if it were taken here. */
export class NotIngestedError extends SafeError {
  override readonly name = 'NotIngestedError';

  constructor(
    readonly storedOffset: number,
    readonly nextOffset: number,
  ) {
    super(`ingest has the partition up to ${storedOffset}, which lies before ${nextOffset}`);
  }
}

/** As of ingest; `aside`: it lies in quarantine, or did; `too-old`: what it said may be forgotten, so it could count twice. */
export type ReadAgainResult = RecordResult | { readonly kind: 'aside' | 'too-old' };

/** Records of one partition, all of them behind where ingest is. */
export interface BatchReadAgain extends BatchToRecord {
  /** What is dated before by the broker may be forgotten, epoch ms. */
  readonly knownSince: number;
  /** All is done as if it counted, and then undone. */
  readonly isDryRun: boolean;
}

const fenceStatement: SqlStatement = {
  name: 'fence_read_again',
  isRead: true,
  text: `
SELECT next_offset AS "nextOffset" FROM kafka_offset
WHERE cluster_id = $1 AND topic = $2 AND incarnation = $3 AND partition = $4 FOR UPDATE`,
};

/** By the broker's time a record is told apart from the one of a topic that was created anew; a batch holds those of several times. */
const asideStatement: SqlStatement = {
  name: 'find_aside_again',
  isRead: true,
  text: `
SELECT DISTINCT w.record_offset AS "offset"
FROM unnest($3::bigint[], $4::timestamptz[]) AS w (record_offset, broker_at)
JOIN quarantine q ON q.topic = $1 AND q.partition = $2 AND CASE WHEN q.last_offset IS NULL
  THEN q.kafka_offset = w.record_offset AND q.broker_at = w.broker_at
  ELSE w.record_offset BETWEEN q.kafka_offset AND q.last_offset END`,
};

/** Undoes a transaction that has come to its end. */
class DryRunOver extends Error {
  constructor(readonly results: readonly RecordResult[]) {
    super('a dry run');
  }
}

interface SplitRecords {
  readonly fresh: readonly PreparedRecord[];
  /** Of the others. */
  readonly known: ReadonlyMap<PreparedRecord, ReadAgainResult>;
}

/**
 * Records what was consumed before, as ingest would, but for where a partition stands: what is known by its identity or its place
 * is recognised, what was missed is recorded. What lies in quarantine is for who deals with that.
 */
@Injectable()
export class ReadAgainRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: IngestKeys,
  ) {}

  /**
   * In one transaction; doing it again changes nothing.
   * @returns one result for each record, in their order; of one that is set aside as a whole one for all of its events
   * @throws {NotIngestedError} @throws {DatabaseError} when nothing is known to be recorded
   */
  async record(batch: BatchReadAgain): Promise<readonly ReadAgainResult[]> {
    return recordingWhole(batch.records, (records) =>
      repeatRaces(async (isPessimistic) => {
        const split: { found: SplitRecords | null } = { found: null };
        const results = await this.inTransaction(batch.isDryRun, async (session) => {
          split.found = await splitRecords(session, { ...batch, records });
          return this.recordFresh(session, split.found.fresh, { batch, isPessimistic });
        });
        return merged(records, split.found, results);
      }),
    );
  }

  private async inTransaction(
    isDryRun: boolean,
    work: (session: SqlSession) => Promise<readonly RecordResult[]>,
  ): Promise<readonly RecordResult[]> {
    try {
      return await this.database.transaction('read_again', async (session) => {
        const results = await work(session);
        if (isDryRun) throw new DryRunOver(results);
        return results;
      });
    } catch (error) {
      if (error instanceof DryRunOver) return error.results;
      throw error;
    }
  }

  private async recordFresh(
    session: SqlSession,
    fresh: readonly PreparedRecord[],
    { batch, isPessimistic }: { readonly batch: BatchReadAgain; readonly isPessimistic: boolean },
  ): Promise<readonly RecordResult[]> {
    if (fresh.length === 0) return [];
    const { keys } = this;
    const { source, now, programsHash, hasDeadLetters = true } = batch;
    const context = { sourceOf: () => source, now, programsHash };
    const sealing = { key: keys.quarantine, random: keys.random, mac: keys.mac };
    const { results } = await recordSetAside(session, fresh, {
      ...{ context, keys, isPessimistic },
      setAside: (own, records) => insertQuarantine(own, { records, context, hasDeadLetters }, sealing),
    });
    return results;
  }
}

async function splitRecords(session: SqlSession, batch: BatchReadAgain): Promise<SplitRecords> {
  const { source, records, nextOffset, knownSince } = batch;
  const { clusterId, topic, incarnation, partition } = source;
  const place = [clusterId, topic, incarnation, partition];
  const { rows: stored } = await session.query<{ nextOffset: number }>(fenceStatement, place);
  const storedOffset = stored[0]?.nextOffset ?? 0;
  if (storedOffset < nextOffset) throw new NotIngestedError(storedOffset, nextOffset);
  const aside = await asideOf(session, { topic, partition }, [...new Set(records.map(({ original }) => original))]);
  const known = new Map<PreparedRecord, ReadAgainResult>();
  for (const record of records) {
    if (aside.has(record.original.offset)) known.set(record, { kind: 'aside' });
    else if (record.original.brokerAt < knownSince) known.set(record, { kind: 'too-old' });
  }
  return { fresh: records.filter((record) => !known.has(record)), known };
}

async function asideOf(
  session: SqlSession,
  { topic, partition }: { readonly topic: string; readonly partition: number },
  originals: readonly OriginalRecord[],
): Promise<ReadonlySet<number>> {
  const { rows } = await session.query<{ offset: number }>(asideStatement, [
    topic,
    partition,
    originals.map(({ offset }) => offset),
    originals.map(({ brokerAt }) => new Date(brokerAt).toISOString()),
  ]);
  return new Set(rows.map(({ offset }) => offset));
}

function merged(
  records: readonly PreparedRecord[],
  found: SplitRecords | null,
  results: readonly RecordResult[],
): ReadAgainResult[] {
  const left = results.values();
  return records.flatMap((record) => {
    const known = found?.known.get(record);
    if (known !== undefined) return [known];
    const next = left.next();
    return next.done === true ? [] : [next.value];
  });
}
