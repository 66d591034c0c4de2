import type { IdentityPlace } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

/** Traces tell what took an admin; those of a forced replay are its items. */
const statement: SqlStatement = {
  name: 'is_decided_by_admin',
  text: `
SELECT EXISTS (
    SELECT FROM operator_action WHERE lane_id = $1 AND seq = $2 AND (detail ? 'privileged' OR detail->'force' = 'true')
  ) OR EXISTS (
    SELECT FROM replay JOIN replay_item i USING (replay_id)
    WHERE is_forced AND i.lane_id = $1 AND i.seq = $2 AND i.state NOT IN ('waiting', 'refused', 'skipped')
  ) AS decided`,
};

/** Whether an admin has said of an intent what only an admin may: corrected it, taken it in or had it sent by force. */
export async function isDecidedByAdmin(session: SqlSession, { laneId, seq }: IdentityPlace): Promise<boolean> {
  return (await session.query<{ decided: boolean }>(statement, [laneId, seq])).rows[0]?.decided === true;
}
