import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Digests forgotten in one turn. */
export const forgetDigestsMax = 1_000;

/**
 * A transaction that had seen the member before the key was destroyed may still remember what came to nothing; none is open for
 * so long (`statement_timeout` and `idle_in_transaction_session_timeout` of our connections are 30 and 60 s).
 */
export const settledAfterMs = 90_000;

/** SQL: whether job `j` makes a file with personal values of a member who is erased: nobody can make it again then. */
function showsMember(since: string, program: string): string {
  return `j.kind = 'export' AND j.request->>'includePersonal' = 'true' AND j.created_at <= ${since}
      AND (j.program_id IS NULL OR j.program_id = ${program})`;
}

const forgetDigestsStatement: SqlStatement = {
  name: 'forget_digests',
  text: `
WITH due AS MATERIALIZED (
  SELECT e.lane_id, e.erased_seq, e.since, m.program_id
  FROM digest_erasure e JOIN member m USING (lane_id)
  WHERE e.since <= $1::timestamptz AND NOT EXISTS (
    SELECT FROM job j WHERE ${showsMember('e.since', 'm.program_id')} AND j.state IN ('waiting', 'running', 'paused'))
  ORDER BY e.since LIMIT 1 FOR UPDATE OF e SKIP LOCKED
), exports AS (
  UPDATE job j SET report = j.report - 'digest', cursor = j.cursor - 'digest'
  FROM due WHERE ${showsMember('due.since', 'due.program_id')} AND j.report ? 'digest'
), digests AS MATERIALIZED (
  SELECT d.key FROM dedup d JOIN due USING (lane_id)
  WHERE d.body_mac <> ''::bytea AND (d.seq IS NULL OR d.seq <= due.erased_seq) LIMIT ${forgetDigestsMax}
), forgotten AS (
  UPDATE dedup d SET body_mac = '' FROM digests WHERE d.key = digests.key
), done AS (
  DELETE FROM digest_erasure e USING due
  WHERE e.lane_id = due.lane_id AND (SELECT count(*) FROM digests) < ${forgetDigestsMax}
)
SELECT count(*)::int AS lanes FROM due`,
};

/** Rows without a lane are of earlier releases: nobody can tell whose they are. */
const forgetUnownedStatement: SqlStatement = {
  name: 'forget_unowned_digests',
  text: `
WITH digests AS MATERIALIZED (
  SELECT key FROM dedup WHERE lane_id IS NULL AND body_mac <> ''::bytea LIMIT ${forgetDigestsMax} FOR UPDATE SKIP LOCKED
)
UPDATE dedup d SET body_mac = '' FROM digests WHERE d.key = digests.key`,
};

/**
 * Forgets what the events of erased members said: whoever holds the key of the digests could guess it. That they were there
 * stays known, so that they count as duplicates, whatever they say.
 * @returns whether there may be more to forget now
 */
export async function forgetDigests(database: Database, now: number): Promise<boolean> {
  const { rows } = await database.execute<{ lanes: number }>(forgetDigestsStatement, [timestamp(now - settledAfterMs)]);
  return rows.some(({ lanes }) => lanes > 0);
}

/** The same for rows of earlier releases that name no member. @returns whether there may be more */
export async function forgetUnowned(database: Database): Promise<boolean> {
  return (await database.execute(forgetUnownedStatement)).rowCount === forgetDigestsMax;
}
