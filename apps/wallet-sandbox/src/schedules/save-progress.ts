import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';

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
