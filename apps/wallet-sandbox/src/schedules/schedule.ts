import type { Database, SqlSession } from '#platform';
import type { PassContent } from '../contract/wallet-pass.js';
import { type PassCondition, selectionSql } from '../passes/pass-condition.js';
import { parseExact } from '../store/exact-json.js';
import { statement } from '../store/database.js';

/** An accepted schedule: what happens, to which passes of a program, and when. */
export interface Schedule {
  readonly scheduleId: number;
  readonly brandId: string;
  readonly programId: string;
  readonly name: string | null;
  /** Epoch milliseconds. */
  readonly dueAt: number;
  readonly conditions: readonly PassCondition[];
  readonly change: PassContent;
  /** Of the request that asked for it. */
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly arrivedAt: number;
}

/** A schedule on its way: passes after the one and up to the other are still to be looked at, in order of pass id. */
export interface UnfinishedSchedule extends Schedule {
  readonly afterPassId: number;
  /** The newest pass when it began; null before. Passes issued later are not its business. */
  readonly untilPassId: number | null;
}

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

const selectNextDueTimeStatement = statement(
  'select_next_due_time',
  `SELECT due_at AS "dueAt" FROM wallet_sandbox.schedule WHERE done_at IS NULL ORDER BY due_at LIMIT 1`,
);

/** When the next schedule is due, in epoch milliseconds; null when none is left. Locks nothing. */
export async function selectNextDueTime(database: Database): Promise<number | null> {
  const { rows } = await database.execute<{ readonly dueAt: number }>(selectNextDueTimeStatement);
  return rows[0]?.dueAt ?? null;
}

const selectDueScheduleStatement = statement(
  'select_due_schedule',
  `SELECT schedule_id AS "scheduleId", brand_id AS "brandId", program_id AS "programId", name, due_at AS "dueAt",
     conditions, change::text AS change, request_id AS "requestId", arrived_at AS "arrivedAt", after_pass_id AS "afterPassId",
     until_pass_id AS "untilPassId"
   FROM wallet_sandbox.schedule WHERE done_at IS NULL AND due_at <= $1 ORDER BY due_at, schedule_id LIMIT 1`,
);

type DueRow = Omit<UnfinishedSchedule, 'change'> & { readonly change: string };

/** The first schedule that is due and not done; null when there is none. */
export async function selectDueSchedule(session: SqlSession, nowMs: number): Promise<UnfinishedSchedule | null> {
  const [row] = (await session.query<DueRow>(selectDueScheduleStatement, [nowMs])).rows;
  return row === undefined ? null : { ...row, change: parseExact(row.change) as PassContent };
}

interface SliceRequest {
  readonly schedule: Schedule;
  readonly afterPassId: number;
  readonly untilPassId: number;
  readonly sizeMax: number;
}

export interface SlicePass {
  readonly passId: number;
  readonly identity: string;
}

/** The next passes that a schedule is about, in order of pass id, as they are now. */
export async function selectSlice(session: SqlSession, request: SliceRequest): Promise<SlicePass[]> {
  const { suffix, where, parameters } = selectionSql(request.schedule);
  const next = parameters.length + 1;
  const selectSliceStatement = statement(
    `select_slice_${suffix}`,
    `SELECT p.pass_id AS "passId", p.identity FROM wallet_sandbox.pass p
     WHERE ${where} AND p.pass_id > $${next} AND p.pass_id <= $${next + 1}
     ORDER BY p.pass_id LIMIT $${next + 2}`,
  );
  const bounds = [request.afterPassId, request.untilPassId, request.sizeMax];
  return (await session.query<SlicePass>(selectSliceStatement, [...parameters, ...bounds])).rows;
}

const saveProgressStatement = statement(
  'save_progress',
  `UPDATE wallet_sandbox.schedule SET after_pass_id = $2, until_pass_id = $3, done_at = $4 WHERE schedule_id = $1`,
);

interface ScheduleProgress {
  readonly scheduleId: number;
  readonly afterPassId: number;
  readonly untilPassId: number;
  /** Epoch milliseconds; null while passes are left. */
  readonly doneAt: number | null;
}

/** Says how far a schedule has come, in the transaction of what it did. */
export async function saveProgress(session: SqlSession, progress: ScheduleProgress): Promise<void> {
  const { scheduleId, afterPassId, untilPassId, doneAt } = progress;
  await session.query(saveProgressStatement, [scheduleId, afterPassId, untilPassId, doneAt]);
}

const abandonScheduleStatement = statement(
  'abandon_schedule',
  `UPDATE wallet_sandbox.schedule SET done_at = $2 WHERE schedule_id = $1 AND done_at IS NULL`,
);

/** Ends a schedule whose change the database does not take, so that it does not stand in the way of the next for ever. */
export async function abandonSchedule(database: Database, scheduleId: number): Promise<void> {
  await database.execute(abandonScheduleStatement, [scheduleId, Date.now()]);
}
