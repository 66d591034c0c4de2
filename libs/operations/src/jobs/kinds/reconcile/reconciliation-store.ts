import { isOptOut, timestamp } from '#intents';
import type { Database, SqlSession, SqlStatement } from '#platform';

const openReconciliationStatement: SqlStatement = {
  name: 'open_reconciliation',
  text: `
INSERT INTO reconciliation (job_id) VALUES ($1) ON CONFLICT (job_id) DO UPDATE SET job_id = EXCLUDED.job_id
RETURNING reconciliation_id AS "reconciliationId"`,
};

/** Gives a reconciliation the number under which it remembers what it has seen; the same for the same job. */
export async function openReconciliation(session: SqlSession, jobId: string): Promise<number> {
  const [row] = (await session.query<{ reconciliationId: number }>(openReconciliationStatement, [jobId])).rows;
  if (row === undefined) throw new Error('a reconciliation without a number');
  return row.reconciliationId;
}

/** Noted in lane order; of those noted before it tells the earlier mark. */
const noteSeenStatement: SqlStatement = {
  name: 'note_seen',
  text: `
WITH listed AS MATERIALIZED (
  SELECT lane_id, mark FROM unnest($2::bigint[], $3::int[]) AS w (lane_id, mark)
), noted AS (
  INSERT INTO reconciliation_seen (lane_id, reconciliation_id, mark)
  SELECT lane_id, $1::int, mark FROM listed ORDER BY lane_id
  ON CONFLICT (reconciliation_id, lane_id) DO NOTHING
  RETURNING lane_id
)
SELECT s.lane_id AS "laneId", s.mark FROM listed l JOIN reconciliation_seen s
  ON s.reconciliation_id = $1::int AND s.lane_id = l.lane_id
WHERE NOT EXISTS (SELECT FROM noted n WHERE n.lane_id = l.lane_id)`,
};

/** A member whose pass the listing shows. `mark`: a part of a digest of what names the pass. */
export interface SeenMember {
  readonly laneId: number;
  readonly mark: number;
}

/** Remembers who was seen at the partner, each lane once. @returns those seen before, as they were seen then */
export async function noteSeen(
  session: SqlSession,
  request: { readonly reconciliationId: number; readonly members: readonly SeenMember[] },
): Promise<SeenMember[]> {
  const { reconciliationId, members } = request;
  if (members.length === 0) return [];
  const lanes = members.map(({ laneId }) => laneId);
  const marks = members.map(({ mark }) => mark);
  return (await session.query<SeenMember>(noteSeenStatement, [reconciliationId, lanes, marks])).rows;
}

/** Lanes looked through at once, and those of them that are handed on. */
const unseenWindowMax = 5_000;
const unseenMax = 50;

/**
 * SQL: whether a lane (`l`) has learned that the pass is gone that its last enrolment has issued: that is delivered, and its
 * member has not left since.
 */
const isGone = (l: string): string => `(${l}.pass = 'absent' AND ${l}.issue_seq IS NOT NULL
    AND NOT (${l}.issue_seq >= ${l}.head_seq AND ${l}.issue_seq <> ALL (${l}.ahead) OR ${l}.issue_seq = ANY (${l}.redo))
    AND NOT EXISTS (SELECT FROM intent_standing t WHERE t.lane_id = ${l}.lane_id AND t.seq = ${l}.issue_seq
      AND t.status <> 'delivered')
    AND NOT EXISTS (SELECT FROM intent o WHERE o.lane_id = ${l}.lane_id AND o.seq > ${l}.issue_seq
      AND ${isOptOut('o')} ))`;

const listUnseenStatement: SqlStatement = {
  name: 'list_unseen',
  text: `
WITH span AS MATERIALIZED (
  SELECT * FROM lane WHERE lane_id > $2 ORDER BY lane_id LIMIT ${unseenWindowMax}
), unseen AS MATERIALIZED (
  SELECT s.lane_id, s.issue_seq FROM span s
  WHERE s.program_id = $1 AND (s.pass = 'known' OR ${isGone('s')}) AND NOT EXISTS (
    SELECT FROM reconciliation_seen r WHERE r.reconciliation_id = $3::int AND r.lane_id = s.lane_id)
  ORDER BY s.lane_id LIMIT ${unseenMax}
)
SELECT (SELECT max(lane_id) FROM span) AS "windowEnd", u.lane_id AS "laneId", u.issue_seq AS "enrolmentSeq",
  m.member_id AS "memberId", k.lane_id IS NULL AS "isErased",
  COALESCE((SELECT max(e.at) FROM intent_history e WHERE e.lane_id = u.lane_id AND e.seq IN (0, u.issue_seq)) > $4::timestamptz,
    m.created_at > $4::timestamptz) AS "isNew"
FROM (SELECT 1) one
LEFT JOIN unseen u ON true
LEFT JOIN member m ON m.lane_id = u.lane_id
LEFT JOIN member_key k ON k.lane_id = u.lane_id
ORDER BY u.lane_id`,
};

/** A member whose pass we know and the listing did not show. */
export interface UnseenMember {
  readonly laneId: number;
  readonly memberId: string;
  /** The last enrolment's place; null where we have none. */
  readonly enrolmentSeq: number | null;
  /** We know of the pass since `since` only: the listing may have turned its page before, or not have shown it yet. */
  readonly isNew: boolean;
  readonly isErased: boolean;
}

interface Row extends Omit<UnseenMember, 'laneId'> {
  /** Null where nothing is left. */
  readonly windowEnd: number | null;
  /** Null in the only row of a window in which all were seen. */
  readonly laneId: number | null;
}

interface UnseenWindow {
  readonly members: readonly UnseenMember[];
  /** The lane after which the next window begins; null: there is none. */
  readonly next: number | null;
}

interface UnseenQuery {
  readonly reconciliationId: number;
  readonly program: string;
  /** 0 to begin. */
  readonly afterLane: number;
  /** Epoch ms. */
  readonly since: number;
}

/** Those of the next lanes whose pass we know and the listing did not show, in lane order. */
export async function listUnseen(database: Database, query: UnseenQuery): Promise<UnseenWindow> {
  const { program, afterLane, reconciliationId, since } = query;
  const { rows } = await database.execute<Row>(listUnseenStatement, [
    program,
    afterLane,
    reconciliationId,
    timestamp(since),
  ]);
  const members = rows.flatMap(({ windowEnd: _end, laneId, ...member }) =>
    laneId === null ? [] : [{ laneId, ...member }],
  );
  const end = rows[0]?.windowEnd ?? null;
  return { members, next: members.length < unseenMax ? end : (members.at(-1)?.laneId ?? end) };
}

/** Rows deleted at once. */
const clearSeenMax = 20_000;

const nextStatement: SqlStatement = {
  name: 'next_reconciliation_to_clear',
  text: `
SELECT r.reconciliation_id AS "reconciliationId" FROM reconciliation r JOIN job j USING (job_id)
WHERE r.job_id = $1 OR j.state = 'cancelled' ORDER BY r.reconciliation_id LIMIT 1`,
};

/** From where it got to: the dead rows before need not be passed by again. */
const clearStatement: SqlStatement = {
  name: 'clear_seen',
  text: `
WITH gone AS (
  DELETE FROM reconciliation_seen s USING (
    SELECT lane_id FROM reconciliation_seen WHERE reconciliation_id = $1::int AND lane_id > $2
    ORDER BY lane_id LIMIT ${clearSeenMax}
  ) w WHERE s.reconciliation_id = $1::int AND s.lane_id = w.lane_id RETURNING s.lane_id
)
SELECT max(lane_id) AS last FROM gone`,
};

const closeStatement: SqlStatement = {
  name: 'close_reconciliation',
  text: `DELETE FROM reconciliation WHERE reconciliation_id = $1::int`,
};

/** A reconciliation whose memory is not needed any more: the job's own, or that of one that was cancelled. */
export async function findSeenToClear(database: Database, jobId: string): Promise<number | null> {
  return (
    (await database.execute<{ reconciliationId: number }>(nextStatement, [jobId])).rows[0]?.reconciliationId ?? null
  );
}

/**
 * Forgets some of what a reconciliation has seen.
 * @param afterLane how far it got; 0 to begin
 * @returns how far it got now; null: all of it is gone
 */
export async function clearSeen(
  database: Database,
  { reconciliationId, afterLane }: { readonly reconciliationId: number; readonly afterLane: number },
): Promise<number | null> {
  const { rows } = await database.execute<{ last: number | null }>(clearStatement, [reconciliationId, afterLane]);
  const last = rows[0]?.last ?? null;
  if (last === null) await database.execute(closeStatement, [reconciliationId]);
  return last;
}
