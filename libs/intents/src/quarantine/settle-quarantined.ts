import type { IdentityPlace, IgnoredReason } from '#domain';
import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { AuditContext } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';
import type { QuarantineState, SettlementResult } from './browse-quarantine.js';
import type { SealedParts } from './sealed-record.js';
import { sealedColumns } from './sealed-record.js';

const lockStatement: SqlStatement = {
  name: 'lock_quarantined',
  text: `
SELECT q.state, q.topic, q.partition, q.kafka_offset AS "offset", q.last_offset AS "lastOffset",
  q.broker_at AS "brokerAt", ${sealedColumns},
  COALESCE(i.cell_index, 0) AS "cellIndex", COALESCE(i.cell_count, 1) AS "cellCount"
FROM quarantine q LEFT JOIN installation i ON true WHERE q.quarantine_id = $1::bigint FOR NO KEY UPDATE OF q`,
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
  /** Which members the installation takes. */
  readonly cellIndex: number;
  readonly cellCount: number;
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
UPDATE quarantine q SET state = CASE $5 WHEN 'discarded' THEN 'discarded' ELSE 'resubmitted' END
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
}

/** Marks a locked record as dealt with, and leaves a trace. Its bytes stay as they are. */
export async function settleQuarantined(session: SqlSession, settlement: NewSettlement): Promise<void> {
  const { quarantineId, locked, audit, result, ignoredReason, place, sealedCorrection, privileged } = settlement;
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
  ]);
  const { topic, partition, offset } = locked;
  const cause = { quarantine: quarantineId, topic, partition, offset };
  const isDiscard = result === 'discarded';
  const taken = { result, reason: ignoredReason, corrected: sealedCorrection !== null };
  const detail = isDiscard ? cause : { ...cause, ...taken, ...(privileged.length > 0 ? { privileged } : {}) };
  const action = isDiscard ? 'quarantine.discard' : 'quarantine.resubmit';
  await recordAction(session, { audit, action, place, detail });
}

/** `settled`: somebody has dealt with it already. */
export type DiscardResult = { readonly kind: 'done' | 'absent' | 'settled' };

/** A person gives a record up, with a trace, in one transaction. Its bytes are kept. */
export async function discardQuarantined(
  database: Database,
  { quarantineId, audit }: { readonly quarantineId: number; readonly audit: AuditContext },
): Promise<DiscardResult> {
  return database.transaction('discard_quarantined', async (session) => {
    const locked = await lockQuarantined(session, quarantineId);
    if (locked === null) return { kind: 'absent' };
    if (locked.state !== 'open') return { kind: 'settled' };
    const nothing = { ignoredReason: null, place: null, sealedCorrection: null, privileged: [] };
    await settleQuarantined(session, { quarantineId, locked, audit, result: 'discarded', ...nothing });
    return { kind: 'done' };
  });
}
