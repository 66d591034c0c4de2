import type { IdentityPlace } from '#intents/core';
import { erasureMarks } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';

import { storedMarksText } from '../batch/members.js';
import { isOptOut } from '../events/opt-outs.js';
import { timestamp } from '../events/stored-event.js';
import { openInLane } from '../lanes/locked-lane.js';

const findOpenOptOutsStatement: SqlStatement = {
  name: 'find_open_opt_outs',
  text: `
SELECT i.lane_id AS "laneId", i.seq FROM lane l JOIN intent i ON i.lane_id = l.lane_id AND ${openInLane('i.seq')}
WHERE l.lane_id = $1 AND ${isOptOut('i')} AND NOT EXISTS (
  SELECT FROM intent_standing s
  WHERE s.lane_id = i.lane_id AND s.seq = i.seq AND s.status IN ('parked', 'cancelled', 'delivered'))
ORDER BY i.seq`,
};

/** The intents of a lane that have still to tell the partner that the member has left. The lane is locked. */
export async function findOpenOptOuts(session: SqlSession, laneId: number): Promise<readonly IdentityPlace[]> {
  return (await session.query<{ laneId: number; seq: number }>(findOpenOptOutsStatement, [laneId])).rows;
}

const awaitErasureStatement: SqlStatement = {
  name: 'await_erasure',
  text: `
INSERT INTO erasure (lane_id, until_seq, requested_at, erased_name) VALUES ($1, $2, $3::timestamptz, $4)
ON CONFLICT (lane_id) DO UPDATE SET until_seq = EXCLUDED.until_seq`,
};

/** The key that seals what the member's leaving itself has caused goes, too, once that is settled. */
export async function awaitErasure(
  session: SqlSession,
  erasure: { readonly laneId: number; readonly untilSeq: number; readonly now: number; readonly erasedName: string },
): Promise<void> {
  const { laneId, untilSeq, now, erasedName } = erasure;
  await session.query(awaitErasureStatement, [laneId, untilSeq, timestamp(now), erasedName]);
}

const dropAwaitedErasureStatement: SqlStatement = {
  name: 'drop_awaited_erasure',
  text: 'DELETE FROM erasure WHERE lane_id = $1',
};

/** The key that an erasure waited for is gone already. The lane is locked. */
export async function dropAwaited(session: SqlSession, laneId: number): Promise<void> {
  await session.query(dropAwaitedErasureStatement, [laneId]);
}

/** SQL: has the digests forgotten of what these rows of `lane_id` and `erased_seq` say is erased, since the time of a parameter. */
function haveDigestsForgotten(erased: string, since: string): string {
  return `
  INSERT INTO digest_erasure (lane_id, erased_seq, since) SELECT lane_id, erased_seq, ${since}::timestamptz FROM ${erased}
  ON CONFLICT (lane_id) DO UPDATE SET erased_seq = EXCLUDED.erased_seq, since = EXCLUDED.since`;
}

const destroyKeyStatement: SqlStatement = {
  name: 'destroy_key',
  text: `
WITH gone AS (DELETE FROM member_key WHERE lane_id = $1), passes AS (DELETE FROM pass_holder WHERE lane_id = $1),
others AS (
  UPDATE member o SET undone_from = CASE WHEN o.undone_from = m.member_id THEN $5 ELSE o.undone_from END,
    merged_into = NULLIF(o.merged_into, m.member_id)
  FROM member m WHERE m.lane_id = $1 AND o.program_id = m.program_id AND m.member_id IN (o.undone_from, o.merged_into)
    AND o.lane_id <> m.lane_id
), erased AS (
  UPDATE member SET member_id = $5, nameless_since = $3::timestamptz, erased_seq = COALESCE((SELECT tail_seq FROM lane WHERE lane_id = $1), 0),
    profile_sequence = NULL, profile_at = NULL, profile_marks = $2::jsonb, enrolment_key = NULL, enrolment_mac = NULL,
    left_at = $4::timestamptz, erased_at = $4::timestamptz, back_at = NULL, enrolled_at = NULL, born_at = NULL,
    merged_into = NULL, merged_at = NULL, undone_from = NULL, undone_at = NULL, person_macs = NULL
  WHERE lane_id = $1
  RETURNING lane_id, erased_seq
), digests AS (${haveDigestsForgotten('erased', '$3')})
SELECT erased_seq FROM erased`,
};

interface KeyToDestroy {
  readonly laneId: number;
  readonly at: number;
  readonly now: number;
  readonly erasedName: string;
}

/**
 * Nobody lives on in who is erased: those who did are erased before, but for whom a merge has named meanwhile.
 * Destroys a member's data key: whatever was sealed with it stays closed for ever (contracts.md section 7). Everything
 * recorded so far is erased; what comes later gets another key. The lane is locked.
 * @param at when the member was erased, epoch ms: what happened until then brings nobody back
 * @param erasedName what the member is known by from now on
 * @returns the last erased seq
 */
export async function destroyKey(session: SqlSession, { laneId, at, now, erasedName }: KeyToDestroy): Promise<number> {
  const parameters = [laneId, storedMarksText(erasureMarks(at)), timestamp(now), timestamp(at), erasedName];
  const { rows } = await session.query<{ erased_seq: number }>(destroyKeyStatement, parameters);
  return rows[0]?.erased_seq ?? 0;
}

/** Erasures finished at once. */
export const finishErasuresMax = 200;

/** A member who came back meanwhile has begun anew under that key: it stays. */
const finishErasuresStatement: SqlStatement = {
  name: 'finish_erasures',
  text: `
WITH settled AS MATERIALIZED (
  SELECT l.lane_id, e.until_seq, e.erased_name, l.tail_seq = e.until_seq AS is_gone
  FROM erasure e JOIN lane l ON l.lane_id = e.lane_id
  WHERE l.head_seq > e.until_seq AND cardinality(l.redo) = 0
  ORDER BY l.lane_id LIMIT ${finishErasuresMax}
  FOR NO KEY UPDATE OF l SKIP LOCKED
), keys AS (
  DELETE FROM member_key k USING settled s WHERE k.lane_id = s.lane_id AND s.is_gone
), passes AS (
  DELETE FROM pass_holder h USING settled s WHERE h.lane_id = s.lane_id AND s.is_gone
), marked AS (
  UPDATE member m SET erased_seq = s.until_seq, enrolment_key = NULL, enrolment_mac = NULL, person_macs = NULL,
    member_id = s.erased_name, nameless_since = $1::timestamptz
  FROM settled s WHERE m.lane_id = s.lane_id AND s.is_gone
  RETURNING m.lane_id, m.erased_seq
), digests AS (${haveDigestsForgotten('marked', '$1')})
DELETE FROM erasure e USING settled s WHERE e.lane_id = s.lane_id`,
};

/**
 * Destroys the keys of members whose leaving has been settled with the partner.
 * @returns how many erasures came to their end; as many as `finishErasuresMax` when there may be more
 */
export async function finishErasures(database: Database, now: number): Promise<number> {
  return (await database.execute(finishErasuresStatement, [timestamp(now)])).rowCount;
}
