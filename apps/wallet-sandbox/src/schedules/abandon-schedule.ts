import type { Database } from '#platform';
import { statement } from '../store/statement.js';

const abandonScheduleStatement = statement(
  'abandon_schedule',
  `UPDATE wallet_sandbox.schedule SET done_at = $2 WHERE schedule_id = $1 AND done_at IS NULL`,
);

/** Ends a schedule whose change the database does not take, so that it does not stand in the way of the next for ever. */
export async function abandonSchedule(database: Database, scheduleId: number): Promise<void> {
  await database.execute(abandonScheduleStatement, [scheduleId, Date.now()]);
}
