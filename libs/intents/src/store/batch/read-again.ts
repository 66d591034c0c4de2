import { Injectable } from '@nestjs/common';

import type { SqlSession, SqlStatement } from '#platform';
import { Database, digest, keyedDigest, SafeError } from '#platform';

import { placeKey } from '../lanes/claimed-lane.js';
import { insertQuarantine } from '../quarantine/sealed-record.js';
import { recordSetAside } from './chunk-repository.js';
import { findIdentities } from './identities.js';
import { findKnownPlaces } from './mapped-places.js';
import type { RecordedEvent } from './recorded-events.js';
import { loadRecordedEvents } from './recorded-events.js';
import type { BatchToRecord, OriginalRecord, PreparedRecord, RecordResult, SourcePartition } from './recording.js';
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

/** The topic was created anew since somebody looked where its partitions stand: the offsets mean other records. */
export class TopicAnewError extends SafeError {
  override readonly name = 'TopicAnewError';

  constructor() {
    super('the topic was created anew meanwhile: its offsets mean other records now');
  }
}

/**
 * As of ingest, or: `aside`: it lies in quarantine, or did. `too-old`: what it said may be forgotten, so it could count twice.
 * `known-place`: its place has led to intents, and the events are the same. `differs`: others are made of it now than its place
 * has led to, or none; nothing is recorded. `ignored-before`: an event of it was ignored,
 * and is made otherwise now; nothing is recorded.
 */
export type ReadAgainResult =
  | RecordResult
  | { readonly kind: 'aside' | 'too-old' | 'known-place' | 'ignored-before' }
  | {
      readonly kind: 'differs';
      /** The first of what it has led to; null where that has left, or is erased. */
      readonly recorded: RecordedEvent | null;
      /** The events that are made of it now, JSON texts; personal. */
      readonly made: readonly string[];
    };

export interface ReadAgainRecord {
  readonly record: PreparedRecord;
  readonly result: ReadAgainResult;
}

/** Records of one partition, all of them behind where ingest is. */
export interface BatchReadAgain extends Omit<BatchToRecord, 'fromOffset'> {
  /** What is dated before by the broker may be forgotten, epoch ms. */
  readonly knownSince: number;
  /** All is done as if it counted, and then undone. */
  readonly isDryRun: boolean;
  /** Written with what was missed, or not at all; of a dry run undone with it. Throwing undoes all. */
  readonly alongside?: (session: SqlSession, read: readonly ReadAgainRecord[]) => Promise<void>;
}

const fenceStatement: SqlStatement = {
  name: 'fence_read_again',
  isRead: true,
  text: `
SELECT next_offset AS "nextOffset", EXISTS (SELECT FROM kafka_offset n WHERE n.cluster_id = $1 AND n.topic = $2
    AND n.incarnation > $3 AND n.partition = $4) AS "isAnew"
FROM kafka_offset WHERE cluster_id = $1 AND topic = $2 AND incarnation = $3 AND partition = $4 FOR UPDATE`,
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
  constructor(readonly read: readonly ReadAgainRecord[]) {
    super('a dry run');
  }
}

interface SplitRecords {
  readonly fresh: readonly PreparedRecord[];
  /** Of the others. */
  readonly known: ReadonlyMap<OriginalRecord, ReadAgainResult>;
}

/**
 * Records what was consumed before, as ingest would, but for where a partition stands: what is known by its identity or its place
 * is recognised, what was missed is recorded. What lies in quarantine is for who deals with that, and so is what other events are
 * made of now than its place has led to: neither is set aside again.
 */
@Injectable()
export class ReadAgainRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: IngestKeys,
  ) {}

  /**
   * In one transaction; doing it again changes nothing.
   * @returns each record with what became of it, in their order; of one that is set aside as a whole one for all of its events
   * @throws {NotIngestedError} @throws {TopicAnewError} @throws {DatabaseError} when nothing is known to be recorded
   */
  async record(batch: BatchReadAgain): Promise<readonly ReadAgainRecord[]> {
    return recordingWhole(batch.records, (records) =>
      repeatRaces((isPessimistic) =>
        this.inTransaction(batch.isDryRun, async (session) => {
          const split = await this.split(session, { ...batch, records });
          const results = await this.recordFresh(session, split.fresh, { batch, isPessimistic });
          const read = merged(records, split, results);
          await batch.alongside?.(session, read);
          return read;
        }),
      ),
    );
  }

  private async inTransaction(
    isDryRun: boolean,
    work: (session: SqlSession) => Promise<readonly ReadAgainRecord[]>,
  ): Promise<readonly ReadAgainRecord[]> {
    try {
      return await this.database.transaction('read_again', async (session) => {
        const read = await work(session);
        if (isDryRun) throw new DryRunOver(read);
        return read;
      });
    } catch (error) {
      if (error instanceof DryRunOver) return error.read;
      throw error;
    }
  }

  private async split(session: SqlSession, batch: BatchReadAgain): Promise<SplitRecords> {
    const { source, records, nextOffset, knownSince } = batch;
    await fence(session, source, nextOffset);
    const originals = [...new Set(records.map(({ original }) => original))];
    const aside = await asideOf(session, source, originals);
    const places = await this.knownPlaces(session, batch);
    const ignored = await findIgnored(session, records, this.keys.mac);
    const known = new Map<OriginalRecord, ReadAgainResult>();
    for (const original of originals) {
      const place = places.get(original);
      if (aside.has(original.offset)) known.set(original, { kind: 'aside' });
      else if (original.brokerAt < knownSince) known.set(original, { kind: 'too-old' });
      else if (place !== undefined) known.set(original, place);
      else if (ignored.has(original)) known.set(original, { kind: 'ignored-before' });
    }
    return { fresh: records.filter(({ original }) => !known.has(original)), known };
  }

  private async knownPlaces(
    session: SqlSession,
    { source, records }: BatchReadAgain,
  ): Promise<ReadonlyMap<OriginalRecord, ReadAgainResult>> {
    const { keys } = this;
    const places = await findKnownPlaces(session, records, { sourceOf: () => source, keys });
    const firsts = [...places.values()].flatMap(({ isSame, first }) => (isSame || first === null ? [] : [first]));
    const recorded = await loadRecordedEvents(session, firsts, keys.members);
    const results = [...places].map(([original, { isSame, made, first }]): [OriginalRecord, ReadAgainResult] => {
      if (isSame) return [original, { kind: 'known-place' }];
      const event = first === null ? undefined : recorded.get(placeKey(first.laneId, first.seq));
      return [original, { kind: 'differs', recorded: event ?? null, made }];
    });
    return new Map(results);
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

/**
 * Records of which a map makes events that were ignored once, and say something else now or perhaps do: of those that named nobody
 * whom we know there is no digest.
 */
async function findIgnored(
  session: SqlSession,
  records: readonly PreparedRecord[],
  mac: Uint8Array,
): Promise<ReadonlySet<OriginalRecord>> {
  const wanted = records.flatMap(({ original, verdict, event }) => {
    if (event === undefined || verdict.kind !== 'routed' || verdict.intents.length === 0) return [];
    const { eventKeyText, eventContentText } = verdict;
    const content = keyedDigest(mac, eventContentText).toString('hex');
    return [{ original, key: digest(eventKeyText), content }];
  });
  const { known } = await findIdentities(
    session,
    wanted.map(({ key }) => key),
  );
  const found = wanted.filter(({ key, content }) => {
    const before = known.get(key.toString('hex'));
    return before?.place === null && before.contentMac !== content;
  });
  return new Set(found.map(({ original }) => original));
}

/** @throws {NotIngestedError} @throws {TopicAnewError} */
async function fence(session: SqlSession, source: SourcePartition, nextOffset: number): Promise<void> {
  const { clusterId, topic, incarnation, partition } = source;
  const place = [clusterId, topic, incarnation, partition];
  const { rows } = await session.query<{ nextOffset: number; isAnew: boolean }>(fenceStatement, place);
  if (rows[0]?.isAnew === true) throw new TopicAnewError();
  const storedOffset = rows[0]?.nextOffset ?? 0;
  if (storedOffset < nextOffset) throw new NotIngestedError(storedOffset, nextOffset);
}

async function asideOf(
  session: SqlSession,
  { topic, partition }: Pick<SourcePartition, 'topic' | 'partition'>,
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

/** What is known of a record counts once, however many events it holds. */
function merged(
  records: readonly PreparedRecord[],
  { known }: SplitRecords,
  results: readonly RecordResult[],
): ReadAgainRecord[] {
  const left = results.values();
  const seen = new Set<OriginalRecord>();
  return records.flatMap((record): ReadAgainRecord[] => {
    const { original } = record;
    const result = known.get(original);
    if (result === undefined) {
      const next = left.next();
      return next.done === true ? [] : [{ record, result: next.value }];
    }
    if (seen.has(original)) return [];
    seen.add(original);
    return [{ record, result }];
  });
}
