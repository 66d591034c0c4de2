import type { Database, SqlStatement } from '#platform';

import type { ListedAction } from './list-actions.js';
import { listedActions } from './list-actions.js';

/** Actions told at once. */
export const actionsAfterMax = 500;

const statement: SqlStatement = {
  name: 'list_actions_after',
  text: `
SELECT ${listedActions}
WHERE a.action_id > $1::bigint
ORDER BY a.action_id LIMIT ${actionsAfterMax}`,
};

/** What people did after the action with that id, the oldest first. */
export async function listActionsAfter(database: Database, actionId: number): Promise<ListedAction[]> {
  return (await database.execute<ListedAction>(statement, [actionId])).rows;
}
