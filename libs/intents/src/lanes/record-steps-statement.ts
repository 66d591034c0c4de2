import type { SqlStatement } from '#platform';

/**
 * Group commit of many lanes' steps in one statement, hence in one transaction and one round trip.
 * Rows are locked in lane order: unordered multi-row updates deadlocked 70 times in 744 statements, ordered ones never
 * in 5,533 (measured, design.md section 4).
 *
 * `seen` is the locked row beside what the lease holder believes; `moved` where the cursor would go; `judged` whether
 * completion and begin are granted. An enrolment behind a waiting intent goes first (design.md section 5). A begin alone
 * moves nothing: what blocked the lane is tried first once it may be, before what was put back behind it meanwhile.
 *
 * A completion or a release ends the lease and clears the owner, so that a repeated step finds the lane no longer fit
 * even where nothing else has changed. What the partner answered counts whatever others have appended meanwhile; whatever
 * else the lease holder decided, it decided without having read that: refused, as a begin is.
 */
export const recordStepsStatement: SqlStatement = {
  name: 'record_lane_steps',
  text: `
WITH seen AS MATERIALIZED (
  SELECT r.*, l.program_id, l.revision AS now_revision, l.version, l.head_seq, l.tail_seq, l.cur_seq, l.redo, l.ahead,
    l.issue_seq,
    l.epoch = r.epoch AND l.owner IS NOT NULL AND l.cur_seq = r.seq AND l.cur_seq <= l.tail_seq AND l.attempt = r.attempt
      AND l.attempt_open = r.attempt_open AS fits
  FROM lane l
  JOIN unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::boolean[], $6::int[], $7::text[], $8::timestamptz[],
      $9::text[], $10::int[], $11::int[], $12::int[], $13::timestamptz[], $14::timestamptz[], $15::boolean[])
    AS r (lane_id, epoch, seq, attempt, attempt_open, revision, kind, due_at, pass, event_count, begin_seq,
      begin_attempt, lease_until, send_by, tells_answer) ON r.lane_id = l.lane_id
  ORDER BY l.lane_id
  FOR NO KEY UPDATE OF l
), moved AS (
  SELECT s.*,
    CASE WHEN kind = 'settle' THEN lane_settled_head(head_seq, seq, ahead) ELSE head_seq END AS new_head,
    CASE WHEN kind = 'settle' THEN lane_settled_ahead(head_seq, seq, ahead) ELSE ahead END AS new_ahead,
    CASE WHEN kind = 'settle' THEN lane_settled_redo(seq, redo)
      WHEN overtakes THEN array_prepend(issue_seq, redo) ELSE redo END AS new_redo
  FROM (SELECT *, COALESCE(kind = 'wait' AND issue_seq > seq AND issue_seq >= head_seq AND issue_seq <> ALL (ahead)
    AND issue_seq <> ALL (redo), false) AS overtakes FROM seen) s
), judged AS (
  SELECT *,
    fits AND kind IS NOT NULL AND (tells_answer OR now_revision = revision) AS completed,
    COALESCE(fits AND now_revision = revision AND begin_seq = new_cur AND begin_seq <= tail_seq
      AND send_by >= $16::timestamptz AND (kind IS NULL OR kind IN ('settle', 'stay')), false) AS begun
  FROM (SELECT *, CASE WHEN kind IS NULL OR kind = 'block' THEN seq ELSE COALESCE(new_redo[1], new_head) END AS new_cur
    FROM moved) m
), granted AS (
  UPDATE lane SET
    head_seq = j.new_head,
    ahead = j.new_ahead,
    redo = j.new_redo,
    cur_seq = j.new_cur,
    attempt = CASE WHEN j.begun THEN j.begin_attempt WHEN j.new_cur = j.seq AND j.kind <> 'settle' THEN j.attempt
      ELSE 0 END,
    attempt_open = j.begun,
    open_since = CASE WHEN j.begun THEN $16::timestamptz END,
    due_at = CASE
      WHEN j.begun THEN j.lease_until
      WHEN j.kind = 'block' THEN NULL
      WHEN j.new_cur > j.tail_seq THEN NULL
      WHEN j.kind IN ('retry', 'doubt', 'wait', 'await') AND j.new_cur = j.seq THEN j.due_at
      ELSE $16::timestamptz END,
    owner = CASE WHEN j.begun THEN lane.owner END,
    state = CASE WHEN j.kind = 'block' THEN 'blocked' WHEN j.begun OR j.kind IN ('settle', 'doubt') OR j.overtakes THEN 'live'
      WHEN j.kind IN ('wait', 'await') THEN 'waiting' ELSE lane.state END,
    pass = COALESCE(j.pass, lane.pass),
    revision = lane.revision + CASE WHEN j.overtakes THEN 1 ELSE 0 END,
    version = lane.version + CASE WHEN j.completed THEN j.event_count ELSE 0 END + CASE WHEN j.begun THEN 1 ELSE 0 END
  FROM judged j
  WHERE lane.lane_id = j.lane_id AND (j.completed OR j.begun)
  RETURNING lane.lane_id, j.epoch, j.version AS old_version, lane.version AS new_version, j.completed, j.begun
), appended AS (
  INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
  SELECT e.lane_id, e.seq, CASE WHEN e.ordinal = 0 THEN g.new_version ELSE g.old_version + e.ordinal END, e.attempt,
    e.epoch, e.type, e.at, e.data, e.sealed
  FROM unnest($17::bigint[], $18::int[], $19::int[], $20::int[], $21::int[], $22::text[], $23::timestamptz[],
      $24::jsonb[], $25::bytea[]) AS e (lane_id, ordinal, seq, attempt, epoch, type, at, data, sealed)
  JOIN granted g ON g.lane_id = e.lane_id AND g.epoch = e.epoch
  WHERE CASE WHEN e.ordinal = 0 THEN g.begun ELSE g.completed END
)
SELECT lane_id, epoch, completed, begun FROM granted`,
};
