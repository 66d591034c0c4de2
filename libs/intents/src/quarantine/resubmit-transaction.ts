import type { IdentityPlace, IgnoredReason } from '#domain';
import type { SqlSession } from '#platform';

import type {
  IngestKeys,
  OriginalRecord,
  PreparedRecord,
  RecordResult,
  RecordVerdict,
} from '../batch/batch-to-record.js';
import { findIdentities, identityOf } from '../batch/identities.js';
import type { RecordToQuarantine } from '../batch/insert-quarantine.js';
import { MemberCache } from '../batch/members.js';
import { recordRecords } from '../batch/record-records.js';
import { withPendingWrites } from '../batch/recording-transaction.js';
import type { OperatorWord } from '../operator/record-action.js';
import type { Correction } from './correction.js';
import { correctParts, sealCorrection } from './correction.js';
import type { LockedRecord } from './lock-quarantined.js';
import { lockQuarantined } from './lock-quarantined.js';
import type { OpenedParts } from './open-parts.js';
import { openParts } from './open-parts.js';
import type { RouteRecord } from './route-record.js';
import { settleQuarantined } from './settle-quarantined.js';
import type { SettlementResult } from './settlement.js';
import { StillRefusedError } from './still-refused-error.js';

export interface ResubmitRequest {
  readonly quarantineId: number;
  /** Null: as it arrived. */
  readonly correction: Correction | null;
  readonly word: OperatorWord;
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
  readonly verdict: RecordVerdict;
}

export interface ResubmitTools {
  readonly keys: IngestKeys;
  readonly route: RouteRecord;
}

/** All but `done` have changed nothing. */
export type ResubmitOutcome =
  | { readonly kind: 'done'; readonly result: SettlementResult }
  | { readonly kind: 'absent' }
  | { readonly kind: 'settled' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'other-cell' }
  | { readonly kind: 'batch' };

interface Recorded {
  readonly result: SettlementResult;
  readonly ignoredReason: IgnoredReason | null;
  readonly place: IdentityPlace | null;
}

/** One attempt at taking in a record that was set aside, all in one transaction. */
export class ResubmitTransaction {
  constructor(
    private readonly request: ResubmitRequest,
    private readonly tools: ResubmitTools,
    /** An attempt before this one lost a race. */
    private readonly isPessimistic: boolean,
  ) {}

  /** @throws {StillRefusedError} where it would be set aside again */
  async run(session: SqlSession): Promise<ResubmitOutcome> {
    const { quarantineId, word, permit } = this.request;
    const locked = await lockQuarantined(session, quarantineId);
    if (locked === null) return { kind: 'absent' };
    if (locked.state !== 'open') return { kind: 'settled' };
    if (locked.lastOffset !== null) return { kind: 'batch' };
    const arrived = openParts(locked, this.tools.keys.quarantine);
    const original = this.original(locked, arrived);
    if (original === null) return { kind: 'lost' };
    const cell = { index: locked.cellIndex, count: locked.cellCount };
    const { record, programsHash } = this.tools.route({ source: locked, original, cell, now: word.at });
    if (record.verdict.kind === 'ignored' && record.verdict.reason === 'other-cell') return { kind: 'other-cell' };
    const isCorrected = this.request.correction !== null;
    const privileged = permit({ arrived, taken: original, isCorrected, verdict: record.verdict });
    const recorded = await this.record(session, record, { source: locked, now: word.at, programsHash });
    const sealedCorrection = this.sealedCorrection();
    await settleQuarantined(session, { quarantineId, locked, word, ...recorded, sealedCorrection, privileged });
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

  private async record(
    session: SqlSession,
    record: PreparedRecord,
    context: { readonly source: LockedRecord; readonly now: number; readonly programsHash: Uint8Array },
  ): Promise<Recorded> {
    const { isPessimistic } = this;
    const { keys } = this.tools;
    const members = new MemberCache(keys.members, context.now);
    await members.learn(session, [record]);
    const { results, placed } = await withPendingWrites((writes) =>
      recordRecords(session, [record], { context, keys, members, writes, isPessimistic, setAside: refuse }),
    );
    const { result, ignoredReason } = resultOf(results[0]);
    const [intent] = placed;
    const known: IdentityPlace | null = intent ?? (await this.findKnown(session, record, members));
    return { result, ignoredReason, place: known === null ? null : { laneId: known.laneId, seq: known.seq } };
  }

  /** The intent that a record without one of its own speaks of. */
  private async findKnown(
    session: SqlSession,
    record: PreparedRecord,
    members: MemberCache,
  ): Promise<IdentityPlace | null> {
    const identity = identityOf(record, members.all, this.tools.keys.mac);
    if (identity === null) return null;
    const keys = [identity.eventKey, identity.businessKey].filter((key) => key !== null);
    const known = await findIdentities(session, keys);
    return keys.map((key) => known.get(key.toString('hex'))?.place ?? null).find((place) => place !== null) ?? null;
  }
}

async function refuse(_session: SqlSession, [record]: readonly RecordToQuarantine[]): Promise<void> {
  if (record !== undefined) throw new StillRefusedError(record.reason, record.detail);
}

function resultOf(result: RecordResult | undefined): Omit<Recorded, 'place'> {
  if (result?.kind !== 'ignored') return { result: 'recorded', ignoredReason: null };
  const { reason } = result;
  // Only what is read from a partition can have been consumed before.
  const ignoredReason = reason === 'already-consumed' ? null : reason;
  const isDuplicate = reason === 'duplicate-event' || reason === 'duplicate-business-key';
  return { result: isDuplicate ? 'duplicate' : 'ignored', ignoredReason };
}
