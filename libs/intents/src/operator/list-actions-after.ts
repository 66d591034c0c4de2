import type { Database, SqlStatement } from '#platform';

import type { ListedAction } from './list-actions.js';

/** Actions told at once. */
export const actionsAfterMax = 500;

const statement: SqlStatement = {
  name: 'list_actions_after',
  text: `
SELECT a.action_id AS "actionId", a.at, a.actor, a.address, a.action, a.reason, m.program_id AS program,
  m.member_id AS "memberId", a.seq, a.detail
FROM operator_action a LEFT JOIN member m USING (lane_id)
WHERE a.action_id > $1::bigint
ORDER BY a.action_id LIMIT ${actionsAfterMax}`,
};

/** What people did after the action with that id, the oldest first. */
export async function listActionsAfter(database: Database, actionId: number): Promise<ListedAction[]> {
  return (await database.execute<ListedAction>(statement, [actionId])).rows;
}
