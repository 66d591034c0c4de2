import { Injectable } from '@nestjs/common';

import type { IgnoredReason, QuarantineReason } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { Database, DatabaseError } from '#platform';

import { recordSetAside } from '../batch/chunk-repository.js';
import type { OriginalRecord, PreparedRecord, RecordingContext, RecordResult } from '../batch/recording.js';
import {
  describeDatabaseFailure,
  isContentFailure,
  recordBatchMax,
  recordingWhole,
  repeatRaces,
  IngestKeys,
} from '../batch/recording.js';
import type { SettlementResult } from './quarantine-repository.js';
import { insertQuarantine, openParts } from './sealed-record.js';
import type { LockedRecord, ResubmitRequest, RoutedRecord, RouteRecord } from './quarantine-settlements.js';
import { lockQuarantined, settleQuarantined } from './quarantine-settlements.js';

/** What is taken out of a record batch. */
export interface UnpackedRecord {
  readonly original: OriginalRecord;
  /** Set: it stands for records that cannot be taken out, up to its offset, and says why. */
  readonly refused: { readonly reason: QuarantineReason; readonly detail: string } | null;
}

/** The records of a stored batch from one offset to another, in their order and some at a time, as ingest would find them now. */
export type UnpackBatch = (batch: {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}) => AsyncIterable<readonly UnpackedRecord[]>;

/** How many of a batch's records became what. */
export interface BatchCounts {
  readonly recorded: number;
  readonly duplicate: number;
  readonly ignored: number;
  readonly setAside: number;
}

export interface BatchIntake {
  readonly route: RouteRecord;
  readonly unpack: UnpackBatch;
  /** Whether dead letters are published of what is set aside. */
  readonly hasDeadLetters: boolean;
  /** Asked between transactions: what is left then stays for the next time. */
  readonly isTimeUp: () => boolean;
}

interface BatchTools extends BatchIntake {
  readonly keys: IngestKeys;
}

type Unfound = { readonly kind: 'absent' } | { readonly kind: 'settled' } | { readonly kind: 'lost' };

/**
 * What came of it. `settled`: somebody has dealt with it, or is dealing with it. `lost`: no key opens its bytes any more.
 * `refused`: nothing of it can be taken out, and nothing was changed. `part`: the records before `from` are taken in.
 */
export type ResubmitBatchResult =
  | { readonly kind: 'done'; readonly counts: BatchCounts; readonly result: SettlementResult }
  | { readonly kind: 'part'; readonly counts: BatchCounts; readonly from: number }
  | Unfound
  | { readonly kind: 'refused'; readonly reason: QuarantineReason; readonly detail: string };

const advanceStatement: SqlStatement = {
  name: 'advance_quarantined_batch',
  text: 'UPDATE quarantine SET kafka_offset = $2::bigint WHERE quarantine_id = $1::bigint',
};

/** A batch as it was found. */
interface StoredBatch {
  readonly locked: LockedRecord;
  readonly bytes: Uint8Array;
  readonly to: number;
}

type Found = StoredBatch | Unfound;

class SettledMeanwhileError extends Error {}

async function find(
  session: SqlSession,
  { quarantineId }: ResubmitRequest,
  { keys }: Pick<BatchTools, 'keys'>,
): Promise<Found> {
  const locked = await lockQuarantined(session, quarantineId);
  if (locked === null) return { kind: 'absent' };
  if (locked.state !== 'open' || locked.lastOffset === null) return { kind: 'settled' };
  const { value } = openParts(locked, { quarantineId, ...locked }, keys.quarantine);
  return value === 'lost' || value === null ? { kind: 'lost' } : { locked, bytes: value, to: locked.lastOffset };
}

/** Of what no programs file has routed. */
const none = new Uint8Array();

interface Work {
  readonly request: ResubmitRequest;
  readonly tools: BatchTools;
  readonly batch: StoredBatch;
}

/** Consecutive records of a batch, and where it goes on behind them. */
interface Piece {
  readonly records: readonly UnpackedRecord[];
  readonly next: number;
}

/** One batch on its way in. */
class BatchResubmission {
  private readonly counts = { recorded: 0, duplicate: 0, ignored: 0, setAside: 0 };
  private readonly privileged = new Set<string>();
  private ignoredReason: IgnoredReason | null = null;
  /** The first offset that is not taken in. */
  private from: number;

  constructor(
    private readonly database: Database,
    private readonly work: Work,
  ) {
    this.from = work.batch.locked.offset;
  }

  async run(): Promise<ResubmitBatchResult> {
    const refused = await this.ask();
    if (refused !== null) return { kind: 'refused', ...refused };
    const { to } = this.work.batch;
    for await (const piece of this.pieces()) {
      if (this.work.tools.isTimeUp()) return { kind: 'part', counts: this.counts, from: this.from };
      await this.take(piece);
    }
    // Its last records were control records, or all of them were taken in before.
    if (this.from <= to || this.total === 0) await this.take({ records: [], next: to + 1 });
    return { kind: 'done', counts: this.counts, result: resultOf(this.counts) };
  }

  private get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** Looks at all of it before anything is written. @returns why nothing can be taken out */
  private async ask(): Promise<UnpackedRecord['refused']> {
    let isFirst = true;
    for await (const { records } of this.pieces()) {
      for (const record of records) {
        if (isFirst && record.refused !== null) return record.refused;
        isFirst = false;
        await this.route(record);
      }
    }
    return null;
  }

  private async *pieces(): AsyncGenerator<Piece> {
    const { tools, batch } = this.work;
    const { bytes, to } = batch;
    for await (const records of tools.unpack({ bytes, from: this.from, to })) {
      for (let start = 0; start < records.length; start += recordBatchMax) {
        const piece = records.slice(start, start + recordBatchMax);
        yield { records: piece, next: (piece.at(-1)?.original.offset ?? to) + 1 };
      }
    }
  }

  /** A record as ingest would prepare it, if whoever asks may have it taken in. */
  private async route({ original, refused }: UnpackedRecord): Promise<RoutedRecord> {
    const { request, tools, batch } = this.work;
    const { locked } = batch;
    if (refused !== null) {
      const records = [{ original, verdict: { kind: 'quarantine', ...refused } }] as const;
      return { records, programsHash: none, isMapped: false };
    }
    const routed = await tools.route({
      ...{ source: locked, original },
      ...{ now: request.audit.at, receivedAt: locked.recordedAt, isOfBatch: true },
    });
    const { records, isMapped } = routed;
    const verdicts = records.map(({ verdict }) => verdict);
    for (const path of request.permit({ arrived: original, taken: original, isCorrected: false, isMapped, verdicts })) {
      this.privileged.add(path);
    }
    return routed;
  }

  /** What the database refuses is searched, and set aside. */
  private async take(piece: Piece): Promise<void> {
    try {
      await this.record(piece, null);
    } catch (error) {
      const { records } = piece;
      if (!(error instanceof DatabaseError) || !isContentFailure(error) || records.length === 0) throw error;
      if (records.length === 1) {
        await this.record(piece, describeDatabaseFailure(error));
        return;
      }
      const first = records.slice(0, Math.ceil(records.length / 2));
      await this.take({ records: first, next: (first.at(-1)?.original.offset ?? 0) + 1 });
      await this.take({ ...piece, records: records.slice(first.length) });
    }
  }

  private async record(piece: Piece, poison: string | null): Promise<void> {
    const routed: RoutedRecord[] = [];
    for (const record of piece.records) routed.push(await this.route(record));
    const prepared = routed.flatMap(({ records }) => records);
    const programsHash = routed.find((one) => one.programsHash !== none)?.programsHash ?? none;
    const [first] = prepared;
    const verdict = { kind: 'quarantine', reason: 'invalid', detail: poison ?? '' } as const;
    const isPoisoned = poison !== null && first !== undefined;
    await this.recordPiece(piece, isPoisoned ? [poisoned(first, verdict)] : prepared, programsHash);
  }

  /** A record of which one event is refused is set aside by itself, and the others of the piece are recorded without it. */
  private async recordPiece(
    piece: Piece,
    prepared: readonly PreparedRecord[],
    programsHash: Uint8Array,
  ): Promise<void> {
    const results = await recordingWhole(prepared, (records) =>
      repeatRaces((isPessimistic) =>
        this.database.transaction('resubmit_batch', async (session) => {
          await this.lock(session);
          const recorded = await this.recordAll(session, records, { programsHash, isPessimistic });
          await this.goOn(session, piece.next, recorded);
          return recorded;
        }),
      ),
    );
    this.count(results);
    this.from = piece.next;
  }

  /** @throws {SettledMeanwhileError} where somebody else has taken something of it */
  private async lock(session: SqlSession): Promise<void> {
    const locked = await lockQuarantined(session, this.work.request.quarantineId);
    if (locked?.state !== 'open' || locked.offset !== this.from) throw new SettledMeanwhileError();
  }

  private async recordAll(
    session: SqlSession,
    records: readonly PreparedRecord[],
    { programsHash, isPessimistic }: { readonly programsHash: Uint8Array; readonly isPessimistic: boolean },
  ): Promise<readonly RecordResult[]> {
    if (records.length === 0) return [];
    const { request, tools, batch } = this.work;
    const { keys, hasDeadLetters } = tools;
    const context: RecordingContext = {
      ...{ sourceOf: () => batch.locked, now: request.audit.at, programsHash },
      isTakenIn: true,
    };
    const { results } = await recordSetAside(session, records, {
      ...{ context, keys, isPessimistic },
      setAside: (own, refused) => {
        const sealing = { key: keys.quarantine, random: keys.random, mac: keys.mac };
        return insertQuarantine(own, { records: refused, context, hasDeadLetters }, sealing);
      },
    });
    return results;
  }

  private async goOn(session: SqlSession, next: number, results: readonly RecordResult[]): Promise<void> {
    const { request, batch } = this.work;
    const { quarantineId, audit } = request;
    if (next <= batch.to) {
      await session.query(advanceStatement, [quarantineId, next]);
      return;
    }
    const counts = countsWith(this.counts, results);
    const result = resultOf(counts);
    await settleQuarantined(session, {
      ...{ quarantineId, locked: batch.locked, audit, result, place: null, sealedCorrection: null },
      ignoredReason: result === 'ignored' ? (this.ignoredReason ?? reasonOf(results)) : null,
      privileged: [...this.privileged],
      records: counts,
    });
    await request.alongside?.(session, result);
  }

  private count(results: readonly RecordResult[]): void {
    Object.assign(this.counts, countsWith(this.counts, results));
    this.ignoredReason ??= reasonOf(results);
  }
}

const poisoned = ({ original, persons }: PreparedRecord, verdict: PreparedRecord['verdict']): PreparedRecord => ({
  original,
  verdict,
  ...(persons && { persons }),
});

function kindOf(result: RecordResult): keyof BatchCounts {
  switch (result.kind) {
    case 'recorded':
      return 'recorded';
    case 'quarantined':
      return 'setAside';
    case 'ignored': {
      const isDuplicate = result.reason === 'duplicate-event' || result.reason === 'duplicate-business-key';
      return isDuplicate ? 'duplicate' : 'ignored';
    }
    default:
      return result satisfies never;
  }
}

function countsWith(before: BatchCounts, results: readonly RecordResult[]): BatchCounts {
  const counts = { ...before };
  for (const result of results) counts[kindOf(result)] += 1;
  return counts;
}

function reasonOf(results: readonly RecordResult[]): IgnoredReason | null {
  for (const result of results) {
    if (result.kind === 'ignored' && result.reason !== 'already-consumed') return result.reason;
  }
  return null;
}

/** Of all its records together. */
function resultOf({ recorded, duplicate }: BatchCounts): SettlementResult {
  if (recorded > 0) return 'recorded';
  return duplicate > 0 ? 'duplicate' : 'ignored';
}

/** Whole record batches that were set aside. */
@Injectable()
export class QuarantinedBatches {
  constructor(
    private readonly database: Database,
    private readonly keys: IngestKeys,
  ) {}

  /**
   * Takes in the records of a batch, as ingest would if they came now, in transactions of up to 500: each moves the row's
   * first offset behind what it has recorded, so that nothing is taken in twice by the next request; the last one settles the
   * row. A record that cannot be taken in is set aside by itself.
   * @throws whatever `permit` throws; it is asked of all records before anything is written
   * @throws {DatabaseError} what was recorded before stays
   */
  async resubmit(request: ResubmitRequest, intake: BatchIntake): Promise<ResubmitBatchResult> {
    const { database, keys } = this;
    const tools = { ...intake, keys };
    const found = await database.transaction('find_quarantined_batch', (session) => find(session, request, tools));
    if ('kind' in found) return found;
    try {
      return await new BatchResubmission(database, { request, tools, batch: found }).run();
    } catch (error) {
      if (error instanceof SettledMeanwhileError) return { kind: 'settled' };
      throw error;
    }
  }
}
