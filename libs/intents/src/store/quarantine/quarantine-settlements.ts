import { Injectable } from '@nestjs/common';

import type { IdentityPlace, IgnoredReason, QuarantineReason } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { Database, DatabaseError } from '#platform';

import { recordSetAside } from '../batch/chunk-repository.js';
import { findIdentities, identityOf } from '../batch/identities.js';
import type { MemberCache } from '../batch/members.js';
import { numberOf } from '../batch/quarantined-numbers.js';
import type {
  OriginalRecord,
  PreparedRecord,
  RecordingContext,
  RecordResult,
  RecordVerdict,
  SourcePartition,
} from '../batch/recording.js';
import {
  describeDatabaseFailure,
  isContentFailure,
  PartRefusedError,
  repeatRaces,
  IngestKeys,
} from '../batch/recording.js';
import { timestamp } from '../events/stored-event.js';
import type { AuditContext } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';
import type { QuarantineState, SettlementResult } from './quarantine-repository.js';
import { stateBySettlement } from './quarantine-repository.js';
import type { Correction, OpenedParts, RecordToQuarantine, SealedParts } from './sealed-record.js';
import { correctParts, openParts, sealCorrection, sealedColumns } from './sealed-record.js';

const lockStatement: SqlStatement = {
  name: 'lock_quarantined',
  text: `
SELECT ${stateBySettlement}, q.topic, q.partition, q.kafka_offset AS "offset", q.last_offset AS "lastOffset",
  q.broker_at AS "brokerAt", q.recorded_at AS "recordedAt", ${sealedColumns}
FROM quarantine q LEFT JOIN quarantine_settlement s ON s.quarantine_id = q.quarantine_id
WHERE q.quarantine_id = $1::bigint FOR NO KEY UPDATE OF q`,
};

/** A record set aside, while we hold its row. */
export interface LockedRecord extends SealedParts {
  readonly state: QuarantineState;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Set: it is a whole record batch, for its records from `offset` to this one. */
  readonly lastOffset: number | null;
  /** Epoch ms. */
  readonly brokerAt: number;
  /** When it was set aside, epoch ms. */
  readonly recordedAt: number;
}

/** Locks one record until the transaction ends: of two who want to deal with it, one does. Null: there is none. */
export async function lockQuarantined(session: SqlSession, quarantineId: number): Promise<LockedRecord | null> {
  return (await session.query<LockedRecord>(lockStatement, [quarantineId])).rows[0] ?? null;
}

const settleStatement: SqlStatement = {
  name: 'settle_quarantined',
  text: `
WITH settled AS (
  INSERT INTO quarantine_settlement (quarantine_id, at, actor, reason, result, ignored_reason, lane_id, seq,
    sealed_correction)
  VALUES ($1::bigint, $2::timestamptz, $3, $4, $5, $6, $7, $8, $9)
  RETURNING quarantine_id
)
UPDATE quarantine q SET state = CASE $5 WHEN 'discarded' THEN 'discarded' ELSE 'resubmitted' END,
  number_key = CASE WHEN q.number_key = $10::bytea THEN NULL ELSE q.number_key END
FROM settled s WHERE q.quarantine_id = s.quarantine_id`,
};

interface NewSettlement {
  readonly quarantineId: number;
  /** As it was locked. */
  readonly locked: LockedRecord;
  readonly audit: AuditContext;
  readonly result: SettlementResult;
  readonly ignoredReason: IgnoredReason | null;
  readonly place: IdentityPlace | null;
  readonly sealedCorrection: Uint8Array | null;
  /** What of it took an admin, by path. */
  readonly privileged: readonly string[];
  /** Under which it was taken in: where that is another one, its customer's receipt still says the old one. Absent: under none. */
  readonly number?: Uint8Array | null;
  /** Of a whole batch: how many of its records became what. */
  readonly records?: object;
}

/** Marks a locked record as dealt with, and leaves a trace. Its bytes stay as they are. */
export async function settleQuarantined(session: SqlSession, settlement: NewSettlement): Promise<void> {
  const { quarantineId, locked, audit, result, ignoredReason, place, sealedCorrection, privileged, records } =
    settlement;
  const { number = null } = settlement;
  await session.query(settleStatement, [
    quarantineId,
    timestamp(audit.at),
    audit.actor,
    audit.reason,
    result,
    ignoredReason,
    place?.laneId ?? null,
    place?.seq ?? null,
    sealedCorrection,
    number,
  ]);
  const { topic, partition, offset } = locked;
  const cause = { quarantine: quarantineId, topic, partition, offset };
  const isDiscard = result === 'discarded';
  const of = records === undefined ? {} : { records };
  const taken = { result, reason: ignoredReason, corrected: sealedCorrection !== null, ...of };
  const detail = isDiscard ? cause : { ...cause, ...taken, ...(privileged.length > 0 ? { privileged } : {}) };
  const action = isDiscard ? 'quarantine.discard' : 'quarantine.resubmit';
  await recordAction(session, { audit, action, place, detail });
}

/** `settled`: somebody has dealt with it already. */
export type DiscardResult = { readonly kind: 'done' | 'absent' | 'settled' };

export interface RecordToRoute {
  /** Where it lay. */
  readonly source: Pick<SourcePartition, 'topic' | 'partition'>;
  readonly original: OriginalRecord;
  /** Epoch ms. */
  readonly now: number;
  /** When it came here first, epoch ms. */
  readonly receivedAt: number;
  /** It is one of a whole batch that is taken in: nobody has looked at it by itself. Absent: a person takes it in. */
  readonly isOfBatch?: true;
}

/** A record, decoded and routed. */
export interface RoutedRecord {
  /** One, or each of its events, where a map has made several of it. */
  readonly records: readonly PreparedRecord[];
  /** 16 bytes that name the programs file which routed it. */
  readonly programsHash: Uint8Array;
  /** Its topic's source has a map: what the record says is not what it becomes. */
  readonly isMapped: boolean;
}

/**
 * Decodes and routes a record as ingest does, by the programs file in force.
 * @throws {UnavailableError} while what is needed to read it is away
 */
export type RouteRecord = (request: RecordToRoute) => Promise<RoutedRecord>;

type Alongside = (session: SqlSession, result: SettlementResult) => Promise<void>;

export interface ResubmitRequest {
  readonly quarantineId: number;
  /** Null: as it arrived. */
  readonly correction: Correction | null;
  readonly audit: AuditContext;
  /** It is only tried: whatever comes of it is undone. */
  readonly isTrial?: boolean;
  /** Written with what settles it. Throwing undoes that, and is passed on. */
  readonly alongside?: Alongside;
  /**
   * Asked before anything is written. @returns what of it took an admin, by path, for the trace; throwing undoes
   * everything and is passed on.
   */
  readonly permit: (resubmission: Resubmission) => readonly string[];
}

/** What is about to be taken in. */
export interface Resubmission {
  /** As far as it can be opened. */
  readonly arrived: OpenedParts;
  readonly taken: Pick<OriginalRecord, 'value' | 'headersText'>;
  readonly isCorrected: boolean;
  /** As of `RoutedRecord`. */
  readonly isMapped: boolean;
  readonly verdicts: readonly RecordVerdict[];
}

interface ResubmitTools {
  readonly keys: IngestKeys;
  readonly route: RouteRecord;
}

/** All but `done` have changed nothing. */
type ResubmitOutcome =
  | { readonly kind: 'done'; readonly result: SettlementResult }
  | { readonly kind: 'absent' }
  | { readonly kind: 'settled' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'batch' };

/**
 * What came of it. All but `done` leave everything as it was. `settled`: somebody has dealt with it already. `lost`: no
 * key opens its bytes any more. `batch`: it is a whole record batch, for `QuarantinedBatches`. `refused`: it would be set aside again.
 */
export type ResubmitResult =
  ResubmitOutcome | { readonly kind: 'refused'; readonly reason: QuarantineReason; readonly detail: string };

function refusalOf(error: unknown): ResubmitResult | null {
  if (error instanceof StillRefusedError) return { kind: 'refused', reason: error.reason, detail: error.detail };
  if (error instanceof PartRefusedError) {
    const { reason, detail } = error.verdict;
    return { kind: 'refused', reason, detail };
  }
  if (!(error instanceof DatabaseError) || !isContentFailure(error)) return null;
  return { kind: 'refused', reason: 'invalid', detail: describeDatabaseFailure(error) };
}

interface Recorded {
  readonly result: SettlementResult;
  readonly ignoredReason: IgnoredReason | null;
  readonly place: IdentityPlace | null;
  readonly number: Uint8Array | null;
}

/** One attempt at taking in a record that was set aside, all in one transaction. */
class ResubmitTransaction {
  constructor(
    private readonly request: ResubmitRequest,
    private readonly tools: ResubmitTools,
    /** An attempt before this one lost a race. */
    private readonly isPessimistic: boolean,
  ) {}

  /** @throws {StillRefusedError} where it would be set aside again */
  async run(session: SqlSession): Promise<ResubmitOutcome> {
    const { quarantineId, audit, permit } = this.request;
    const locked = await lockQuarantined(session, quarantineId);
    if (locked === null) return { kind: 'absent' };
    if (locked.state !== 'open') return { kind: 'settled' };
    if (locked.lastOffset !== null) return { kind: 'batch' };
    const arrived = openParts(locked, { quarantineId, ...locked }, this.tools.keys.quarantine);
    const original = this.original(locked, arrived);
    if (original === null) return { kind: 'lost' };
    const { records, programsHash, isMapped } = await this.tools.route({
      ...{ source: locked, original },
      ...{ now: audit.at, receivedAt: locked.recordedAt },
    });
    const isCorrected = this.request.correction !== null;
    const verdicts = records.map(({ verdict }) => verdict);
    const privileged = permit({ arrived, taken: original, isCorrected, isMapped, verdicts });
    const context = { sourceOf: () => locked, now: audit.at, programsHash, isTakenIn: true } as const;
    const recorded = await this.record(session, records, context);
    const sealedCorrection = this.sealedCorrection();
    await settleQuarantined(session, { quarantineId, locked, audit, ...recorded, sealedCorrection, privileged });
    return { kind: 'done', result: recorded.result };
  }

  /** The record as it is to be taken; null where a part that is needed cannot be opened. */
  private original(locked: LockedRecord, arrived: OpenedParts): OriginalRecord | null {
    const { key, value, headersText } = correctParts(arrived, this.request.correction ?? {});
    if (value === 'lost' || headersText === null) return null;
    return { offset: locked.offset, brokerAt: locked.brokerAt, key, value, headersText };
  }

  private sealedCorrection(): Buffer | null {
    const { quarantineId, correction } = this.request;
    const { quarantine: key, random } = this.tools.keys;
    return correction === null ? null : sealCorrection({ quarantineId, correction }, { key, random });
  }

  /** Of an event of which one half was taken in when it came, what a person takes in is the other half. */
  private async otherHalf(session: SqlSession, record: PreparedRecord): Promise<PreparedRecord> {
    const { verdict } = record;
    if (verdict.kind !== 'routed' || verdict.decidedKeyText === undefined) return record;
    const identity = identityOf(record, new Map(), { macKey: this.tools.keys.mac, absorbedBy: () => [] });
    if (identity === null) return record;
    const { eventKey, eventMac } = identity;
    const { known } = await findIdentities(session, [eventKey]);
    const first = known.get(eventKey.toString('hex'));
    if (first?.contentMac !== eventMac.toString('hex')) return record;
    return { ...record, verdict: { ...verdict, eventKeyText: verdict.decidedKeyText } };
  }

  private async record(
    session: SqlSession,
    taken: readonly PreparedRecord[],
    context: RecordingContext,
  ): Promise<Recorded> {
    const { isPessimistic } = this;
    const { keys } = this.tools;
    const records: PreparedRecord[] = [];
    for (const each of taken) records.push(await this.otherHalf(session, each));
    const recording = { context, keys, isPessimistic, setAside: refuse };
    const { results, placed, members } = await recordSetAside(session, records, recording);
    // Of several events the first one that was recorded says what came of the record.
    const told = Math.max(
      0,
      results.findIndex(({ kind }) => kind === 'recorded'),
    );
    const { result, ignoredReason } = resultOf(results[told]);
    const [intent] = placed;
    const record = records[told];
    const known = intent ?? (record === undefined ? null : await this.findKnown(session, record, members));
    const place = known === null ? null : { laneId: known.laneId, seq: known.seq };
    const number = record === undefined ? null : numberOf(record, members.all);
    return { result, ignoredReason, place, number };
  }

  /** The intent that a record without one of its own speaks of. */
  private async findKnown(
    session: SqlSession,
    record: PreparedRecord,
    members: MemberCache,
  ): Promise<IdentityPlace | null> {
    const identity = identityOf(record, members.all, { macKey: this.tools.keys.mac, absorbedBy: () => [] });
    if (identity === null) return null;
    const keys = [identity.eventKey, identity.businessKey].filter((key) => key !== null);
    const { known } = await findIdentities(session, keys);
    return keys.map((key) => known.get(key.toString('hex'))?.place ?? null).find((place) => place !== null) ?? null;
  }
}

async function refuse(_session: SqlSession, [record]: readonly RecordToQuarantine[]): Promise<void> {
  if (record !== undefined) throw new StillRefusedError(record.reason, record.detail);
}

function resultOf(result: RecordResult | undefined): Omit<Recorded, 'place' | 'number'> {
  if (result?.kind !== 'ignored') return { result: 'recorded', ignoredReason: null };
  const { reason } = result;
  // Only what is read from a partition can have been consumed before.
  const ignoredReason = reason === 'already-consumed' ? null : reason;
  const isDuplicate = reason === 'duplicate-event' || reason === 'duplicate-business-key';
  return { result: isDuplicate ? 'duplicate' : 'ignored', ignoredReason };
}

/** Undoes everything: the record would be set aside again. */
class StillRefusedError extends Error {
  override readonly name = 'StillRefusedError';

  constructor(
    readonly reason: QuarantineReason,
    readonly detail: string,
  ) {
    super(`the record is refused: ${reason}`);
  }
}

/** Undoes a trial. */
class TrialError extends Error {
  override readonly name = 'TrialError';

  constructor(readonly outcome: ResubmitOutcome) {
    super('it was only tried');
  }
}

/** Settles records that were set aside: taken in, or given up. */
@Injectable()
export class QuarantineSettlements {
  constructor(
    private readonly database: Database,
    private readonly keys: IngestKeys,
  ) {}

  /** A person gives a record up, with an audit entry, in one transaction. Its bytes are kept. */
  async discard(request: Pick<ResubmitRequest, 'quarantineId' | 'audit' | 'alongside'>): Promise<DiscardResult> {
    const { quarantineId, audit, alongside } = request;
    return this.database.transaction('discard_quarantined', async (session) => {
      const locked = await lockQuarantined(session, quarantineId);
      if (locked === null) return { kind: 'absent' };
      if (locked.state !== 'open') return { kind: 'settled' };
      const nothing = { ignoredReason: null, place: null, sealedCorrection: null, privileged: [] };
      await settleQuarantined(session, { quarantineId, locked, audit, result: 'discarded', ...nothing });
      await alongside?.(session, 'discarded');
      return { kind: 'done' };
    });
  }

  /**
   * Takes in a record that was set aside, corrected or as it is, exactly as ingest would if it came now: it is decoded,
   * identified, routed and recorded in one transaction with its mark and its audit entry. No offset moves; where the record
   * lay stays the cause of what it becomes. What has been sent again in the meantime is recognised as the same.
   * @throws {DatabaseError} when nothing is known to be recorded
   */
  async resubmit(request: ResubmitRequest, route: RouteRecord): Promise<ResubmitResult> {
    try {
      return await repeatRaces((isPessimistic) => {
        const transaction = new ResubmitTransaction(request, { keys: this.keys, route }, isPessimistic);
        return this.database.transaction('resubmit_quarantined', async (session) => {
          const outcome = await transaction.run(session);
          if (request.isTrial === true) throw new TrialError(outcome);
          if (outcome.kind === 'done') await request.alongside?.(session, outcome.result);
          return outcome;
        });
      });
    } catch (error) {
      if (error instanceof TrialError) return error.outcome;
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      return refusal;
    }
  }
}
