import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { retireStatement } from './retire-intents.js';

/** Actions looked through in one transaction. */
const actionsPerStepMax = 1_000;

/**
 * SQL: the next actions, and those of them that may leave. What the audit topic still owes stays; one that is turned off
 * owes nothing. So does what was done to an intent or a job that is still there: it is asked what an admin has decided of
 * the one, and what an erasure has done already of the other.
 */
const chosen = `
WITH looked AS MATERIALIZED (
  SELECT action_id, at, lane_id, seq, detail->>'job' AS job_id FROM operator_action
  WHERE action_id > $2::bigint
    AND action_id <= COALESCE((SELECT pos FROM projection_checkpoint WHERE name = 'audit'), 9223372036854775807)
  ORDER BY action_id LIMIT ${actionsPerStepMax}
), leaving AS MATERIALIZED (
  SELECT l.action_id FROM looked l
  WHERE l.at < $1::timestamptz AND NOT EXISTS (SELECT FROM intent i WHERE i.lane_id = l.lane_id AND i.seq = l.seq)
    AND NOT EXISTS (SELECT FROM job j WHERE j.job_id = l.job_id)
)`;

/** Numbers rise with time: behind a stretch of which nothing is old enough, nothing is. */
const next = `(SELECT CASE WHEN bool_or(at < $1::timestamptz) THEN max(action_id) END FROM looked) AS next`;

const leaveStatement: SqlStatement = {
  name: 'retire_actions',
  text: `${chosen}, gone AS (
  DELETE FROM operator_action a USING leaving l WHERE a.action_id = l.action_id RETURNING 1
)
SELECT (SELECT count(*) FROM gone)::int AS actions, ${next}`,
};

const countStatement: SqlStatement = {
  name: 'count_retiring_actions',
  isRead: true,
  text: `${chosen} SELECT (SELECT count(*) FROM leaving)::int AS actions, ${next}`,
};

interface Step {
  readonly actions: number;
  /** The number behind which to go on; null: nothing further is old enough. */
  readonly next: number | null;
}

/**
 * Lets actions leave the audit that are older than `before` (epoch ms), some at a time, each step a transaction of its own.
 * @returns how many
 * @throws {DatabaseError} also where we may not act as the owner of the tables
 */
export async function retireActions(
  database: Database,
  before: number,
  { isPlan, signal }: { readonly isPlan: boolean; readonly signal: AbortSignal | undefined },
): Promise<number> {
  const statement = isPlan ? countStatement : leaveStatement;
  const take = async (session: SqlSession, after: number): Promise<Step> => {
    if (!isPlan) await session.query(retireStatement);
    const { rows } = await session.query<Step>(statement, [timestamp(before), after]);
    return rows[0] ?? { actions: 0, next: null };
  };
  let actions = 0;
  for (let after: number | null = 0; after !== null && signal?.aborted !== true;) {
    const from: number = after;
    const step = await database.transaction(statement.name, (session) => take(session, from));
    actions += step.actions;
    after = step.next;
  }
  return actions;
}
