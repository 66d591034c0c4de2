import type { Database } from '#platform';
import { statement } from '../store/statement.js';

const selectNextDueTimeStatement = statement(
  'select_next_due_time',
  `SELECT due_at AS "dueAt" FROM wallet_sandbox.schedule WHERE done_at IS NULL ORDER BY due_at LIMIT 1`,
);

/** When the next schedule is due, in epoch milliseconds; null when none is left. Locks nothing. */
export async function selectNextDueTime(database: Database): Promise<number | null> {
  const { rows } = await database.execute<{ readonly dueAt: number }>(selectNextDueTimeStatement);
  return rows[0]?.dueAt ?? null;
}
