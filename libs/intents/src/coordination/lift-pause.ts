import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { Pause, PauseTarget } from './pause.js';
import { pauseColumns } from './pause.js';

const statement: SqlStatement = {
  name: 'lift_pause',
  text: `
UPDATE pause SET lifted_at = $3::timestamptz, lifted_by = $4, lifted_reason = $5
WHERE lifted_at IS NULL AND program_id IS NOT DISTINCT FROM $1::text AND operation IS NOT DISTINCT FROM $2::text
RETURNING ${pauseColumns}`,
};

/**
 * Ends the pause of exactly this target: lifting a program's pause leaves those of its operations alone. Replicas go on
 * within a second.
 * @returns the pause that was lifted; null when there was none
 */
export async function liftPause(
  database: Pick<Database, 'execute'>,
  request: PauseTarget & { readonly by: string; readonly reason: string; readonly now: number },
): Promise<Pause | null> {
  const { program, operation, by, reason, now } = request;
  const { rows } = await database.execute<Pause>(statement, [program, operation, timestamp(now), by, reason]);
  return rows[0] ?? null;
}
