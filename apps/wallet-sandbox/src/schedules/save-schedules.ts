import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { Schedule } from './schedule.js';

/** The change is kept as jsonb, as passes are: what a pass could not hold is refused now, not when its time has come. */
const saveSchedulesStatement = statement(
  'save_schedules',
  `INSERT INTO wallet_sandbox.schedule (
     schedule_id, brand_id, program_id, name, due_at, conditions, change, request_id, arrived_at)
   SELECT "scheduleId", "brandId", "programId", name, "dueAt", conditions, change, "requestId", "arrivedAt"
   FROM json_to_recordset($1::json) AS r(
     "scheduleId" bigint, "brandId" text, "programId" text, name text, "dueAt" bigint, conditions jsonb, change jsonb,
     "requestId" text, "arrivedAt" bigint)`,
);

export async function saveSchedules(session: SqlSession, schedules: readonly Schedule[]): Promise<void> {
  if (schedules.length > 0) await session.query(saveSchedulesStatement, [JSON.stringify(schedules)]);
}
