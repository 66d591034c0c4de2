import type { IdentityPlace, IgnoredReason } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { OperatorWord } from '../operator/record-action.js';
import { recordAction } from '../operator/record-action.js';
import type { LockedRecord } from './lock-quarantined.js';
import type { SettlementResult } from './settlement.js';

const statement: SqlStatement = {
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

export interface NewSettlement {
  readonly quarantineId: number;
  /** As it was locked. */
  readonly locked: LockedRecord;
  readonly word: OperatorWord;
  readonly result: SettlementResult;
  readonly ignoredReason: IgnoredReason | null;
  readonly place: IdentityPlace | null;
  readonly sealedCorrection: Uint8Array | null;
  /** What of it took an admin, by path. */
  readonly privileged: readonly string[];
}

/** Marks a locked record as dealt with, and leaves a trace. Its bytes stay as they are. */
export async function settleQuarantined(session: SqlSession, settlement: NewSettlement): Promise<void> {
  const { quarantineId, locked, word, result, ignoredReason, place, sealedCorrection, privileged } = settlement;
  await session.query(statement, [
    quarantineId,
    timestamp(word.at),
    word.actor,
    word.reason,
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
  await recordAction(session, { word, action, place, detail });
}
