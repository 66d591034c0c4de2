import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { UnfinishedSchedule } from './schedule.js';

const selectDueScheduleStatement = statement(
  'select_due_schedule',
  `SELECT schedule_id AS "scheduleId", brand_id AS "brandId", program_id AS "programId", name, due_at AS "dueAt",
     conditions, change, request_id AS "requestId", arrived_at AS "arrivedAt", after_pass_id AS "afterPassId",
     until_pass_id AS "untilPassId"
   FROM wallet_sandbox.schedule WHERE done_at IS NULL AND due_at <= $1 ORDER BY due_at, schedule_id LIMIT 1`,
);

/** The first schedule that is due and not done; null when there is none. */
export async function selectDueSchedule(session: SqlSession, nowMs: number): Promise<UnfinishedSchedule | null> {
  return (await session.query<UnfinishedSchedule>(selectDueScheduleStatement, [nowMs])).rows[0] ?? null;
}
