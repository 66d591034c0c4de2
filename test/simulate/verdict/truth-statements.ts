import type { SqlStatement } from '#platform';

export const lanesStatement: SqlStatement = {
  name: 'sim_lanes',
  text: `
SELECT l.lane_id AS "laneId", l.program_id AS program, m.member_id AS "memberId", l.due_at AS "dueAt", l.epoch, l.version,
  l.head_seq AS head, l.tail_seq AS tail, l.cur_seq AS current, l.attempt, l.attempt_open AS "attemptOpen",
  l.open_since AS "openSince", l.redo, l.ahead, l.issue_seq AS "issueSeq", l.pass, l.state, l.owner,
  m.erased_seq AS "erasedSeq"
FROM lane l JOIN member m USING (lane_id) ORDER BY l.lane_id`,
};

export const intentsStatement: SqlStatement = {
  name: 'sim_intents',
  text: `
SELECT lane_id, seq, version, operation, encode(dedup_key, 'hex') AS dedup_key, waits_for_seq, payload, recorded_at,
  topic, partition, kafka_offset, pos, xid::text AS xid
FROM intent ORDER BY lane_id, seq`,
};

export interface StoredIntent {
  readonly lane_id: number;
  readonly seq: number;
  readonly version: number;
  readonly operation: string;
  readonly dedup_key: string;
  readonly waits_for_seq: number | null;
  readonly payload: Buffer;
  readonly recorded_at: number;
  readonly topic: string;
  readonly partition: number;
  readonly kafka_offset: number;
  readonly pos: number;
  readonly xid: string;
}

export const eventsStatement: SqlStatement = {
  name: 'sim_events',
  text: `
SELECT lane_id, seq, version, epoch, attempt, type, at, data, sealed, pos FROM intent_event ORDER BY lane_id, version`,
};

export interface StoredEvent {
  readonly lane_id: number;
  readonly seq: number;
  readonly version: number;
  readonly epoch: number;
  readonly attempt: number;
  readonly type: string;
  readonly at: number;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly sealed: Buffer | null;
  readonly pos: number;
}

export const dedupStatement: SqlStatement = {
  name: 'sim_dedup',
  text: `SELECT encode(key, 'hex') AS key, kind, lane_id AS "laneId", seq FROM dedup ORDER BY 1`,
};

export const quarantineStatement: SqlStatement = {
  name: 'sim_quarantine',
  text: `
SELECT quarantine_id AS "quarantineId", topic, partition, kafka_offset AS "offset", reason FROM quarantine
ORDER BY quarantine_id`,
};
