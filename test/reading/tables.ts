import type { SqlStatement } from '#platform';

/** Epoch milliseconds of a column, as a number. */
const ms = (column: string): string => `round(extract(epoch FROM ${column}) * 1000)::float8`;

/** Lanes after $1 with their members and whether something of them has left, at most $2. */
export const lanesStatement: SqlStatement = {
  name: 'read_lanes',
  text: `
SELECT l.lane_id::float8 AS "laneId", l.program_id AS program, m.member_id AS "memberId", ${ms('l.due_at')} AS "dueAt",
  l.epoch, l.version, l.head_seq AS head, l.tail_seq AS tail, l.cur_seq AS current, l.attempt,
  l.attempt_open AS "attemptOpen", ${ms('l.open_since')} AS "openSince", l.redo, l.ahead, l.issue_seq AS "issueSeq",
  l.pass, l.state, l.owner, m.erased_seq AS "erasedSeq", k.wrapped_key,
  EXISTS (SELECT FROM lane_start b WHERE b.lane_id = l.lane_id) AS has_left
FROM lane l JOIN member m USING (lane_id) LEFT JOIN member_key k USING (lane_id)
WHERE l.lane_id > $1::bigint ORDER BY l.lane_id LIMIT $2::int`,
};

/** Intents of the lanes in $1. */
export const intentsStatement: SqlStatement = {
  name: 'read_intents',
  text: `
SELECT lane_id::float8 AS lane_id, seq, version, operation, encode(dedup_key, 'hex') AS dedup_key, waits_for_seq,
  encode(waits_for_key, 'hex') AS waits_for_key, payload,
  ${ms('recorded_at')} AS recorded_at, topic, partition, kafka_offset::float8 AS kafka_offset, xid::text AS xid,
  pos::float8 AS pos, COALESCE(is_resubmitted, false) AS is_resubmitted
FROM intent LEFT JOIN (
  SELECT DISTINCT topic, partition, kafka_offset, true AS is_resubmitted FROM quarantine WHERE state = 'resubmitted'
) put_back USING (topic, partition, kafka_offset)
WHERE lane_id = ANY ($1::bigint[]) ORDER BY lane_id, seq`,
};

/** Events of the lanes in $1. */
export const eventsStatement: SqlStatement = {
  name: 'read_events',
  text: `
SELECT lane_id::float8 AS lane_id, seq, version, attempt, epoch, type, ${ms('at')} AS at, data, sealed, pos::float8 AS pos
FROM intent_history WHERE lane_id = ANY ($1::bigint[]) ORDER BY lane_id, version`,
};

export const dedupStatement: SqlStatement = {
  name: 'read_dedup',
  text: `SELECT encode(key, 'hex') AS key, kind, lane_id::float8 AS "laneId", seq FROM dedup ORDER BY 1`,
};

export const quarantineStatement: SqlStatement = {
  name: 'read_quarantine',
  text: `
SELECT quarantine_id::float8 AS "quarantineId", topic, partition, kafka_offset::float8 AS "offset", reason FROM quarantine
ORDER BY quarantine_id`,
};

/** Where every partition stands now. */
export const offsetsStatement: SqlStatement = {
  name: 'read_offsets',
  text: `
SELECT ${ms('clock_timestamp()')} AS "takenAt", topic, incarnation, partition, next_offset::float8 AS "nextOffset"
FROM kafka_offset`,
};

/**
 * The lists that a person can see: how each intent that is not delivered stands (`loyaltyd get intents`), and the
 * quarantine, of which one row may be a batch of records.
 */
export const listsStatement: SqlStatement = {
  name: 'read_lists',
  text: `
WITH latest AS (
  SELECT DISTINCT ON (lane_id, seq) lane_id, seq, type FROM intent_history
  WHERE type <> ALL ('{PassFound,PassAbsent,PassAdopted,IntentCorrected,CancelRequested,LateOutcome,ProbeRead}')
  ORDER BY lane_id, seq, version DESC)
SELECT i.topic || '/' || i.partition || '/' || i.kafka_offset AS place, i.event_type AS type, COALESCE(s.status, 'open') AS list, s.reason,
  m.member_id AS member, i.operation, (extract(epoch FROM s.since) * 1000)::float8 AS since, NULL::text AS "dealtWith"
FROM intent i JOIN member m USING (lane_id)
LEFT JOIN intent_standing s USING (lane_id, seq) LEFT JOIN latest l USING (lane_id, seq)
WHERE CASE WHEN s.status IS NULL THEN COALESCE(l.type, '') <> ALL ('{AttemptApplied,VerifiedApplied}')
  ELSE s.status <> 'delivered' END
UNION ALL
SELECT topic || '/' || partition || '/' || n, NULL, 'quarantined', reason, NULL, NULL, NULL, CASE WHEN state = 'open' THEN NULL ELSE state END
FROM quarantine, generate_series(kafka_offset, COALESCE(last_offset, kafka_offset)) AS n`,
};

export interface ListRow {
  readonly place: string;
  /** Of the event that an intent is of; null: of the record as a whole. */
  readonly type: string | null;
  readonly list: string;
  readonly reason: string | null;
  readonly member: string | null;
  readonly operation: string | null;
  /** Epoch ms. */
  readonly since: number | null;
  readonly dealtWith: string | null;
}

/** What people did, as the audit shows it to everybody: not what a correction says. */
/** In the order in which they took effect: `at` is when somebody asked, and who asks later may be served first. */
export const actsStatement: SqlStatement = {
  name: 'read_acts',
  text: `
SELECT a.action, i.topic || '/' || i.partition || '/' || i.kafka_offset AS place, i.event_type AS type, m.program_id AS program, m.member_id AS member,
  (extract(epoch FROM a.at) * 1000)::float8 AS at, max(a.at) OVER (ORDER BY a.action_id) AS after, a.action_id AS number
FROM operator_action a JOIN member m USING (lane_id) LEFT JOIN intent i USING (lane_id, seq)
WHERE a.action IN ('intent.replay', 'intent.resolve', 'intent.cancel', 'intent.correct', 'reread.settle',
  'reconcile.reissue', 'member.erase')
UNION ALL
SELECT 'intent.replay', i.topic || '/' || i.partition || '/' || i.kafka_offset, i.event_type, m.program_id, m.member_id,
  (extract(epoch FROM r.sent_at) * 1000)::float8, r.sent_at, 0
FROM job_item r JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id) WHERE r.sent_at IS NOT NULL
UNION ALL
SELECT CASE WHEN s.result = 'discarded' THEN 'quarantine.discard' ELSE 'quarantine.resubmit' END,
  q.topic || '/' || q.partition || '/' || q.kafka_offset, NULL, NULL, NULL, (extract(epoch FROM s.at) * 1000)::float8, s.at, 0
FROM quarantine_settlement s JOIN quarantine q USING (quarantine_id)
ORDER BY after, number`,
};

export interface ActRow {
  readonly action: string;
  readonly place: string | null;
  /** Of the event that it is about; null: of the record as a whole. */
  readonly type: string | null;
  readonly program: string | null;
  readonly member: string | null;
  /** Epoch ms. */
  readonly at: number;
}
