import type { Settlement, QuarantineState } from './settlement.js';

/** A record set aside, without its content. */
export interface BrowsedRecord {
  readonly quarantineId: number;
  readonly state: QuarantineState;
  readonly reason: string;
  readonly detail: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Set: it is a whole record batch, for its records from `offset` to this one. */
  readonly lastOffset: number | null;
  readonly valueBytes: number;
  /** Epoch ms. */
  readonly brokerAt: number;
  readonly recordedAt: number;
  /** Null while it is open. */
  readonly settlement: Settlement | null;
}

/** SQL: what `browsedRecord` reads. */
export const browsedColumns = `q.quarantine_id AS "quarantineId", q.state, q.reason, q.detail, q.topic, q.partition,
  q.kafka_offset AS "offset", q.last_offset AS "lastOffset", q.value_bytes AS "valueBytes", q.broker_at AS "brokerAt",
  q.recorded_at AS "recordedAt",
  s.at AS "settledAt", s.actor, s.reason AS "settledReason", s.result, s.ignored_reason AS "ignoredReason",
  m.program_id AS program, m.member_id AS "memberId", s.seq`;

/** SQL: where `browsedColumns` are found. */
export const browsedTables = `quarantine q LEFT JOIN quarantine_settlement s ON s.quarantine_id = q.quarantine_id
  LEFT JOIN member m ON m.lane_id = s.lane_id`;

export interface BrowsedRow extends Omit<BrowsedRecord, 'settlement'> {
  readonly settledAt: number | null;
  readonly actor: string | null;
  readonly settledReason: string | null;
  readonly result: Settlement['result'] | null;
  readonly ignoredReason: Settlement['ignoredReason'];
  readonly program: string | null;
  readonly memberId: string | null;
  readonly seq: number | null;
}

function intentOf({ program, memberId, seq }: BrowsedRow): Settlement['intent'] {
  return program === null || memberId === null || seq === null ? null : { program, memberId, seq };
}

function settlementOf(row: BrowsedRow): Settlement | null {
  const { settledAt: at, actor, settledReason: reason, result, ignoredReason } = row;
  if (at === null || actor === null || reason === null || result === null) return null;
  return { at, actor, reason, result, ignoredReason, intent: intentOf(row) };
}

export function browsedRecord(row: BrowsedRow): BrowsedRecord {
  const { quarantineId, state, reason, detail, topic, partition, offset, lastOffset } = row;
  const { valueBytes, brokerAt, recordedAt } = row;
  const settlement = settlementOf(row);
  return {
    quarantineId,
    state,
    reason,
    detail,
    topic,
    partition,
    offset,
    lastOffset,
    valueBytes,
    brokerAt,
    recordedAt,
    settlement,
  };
}
