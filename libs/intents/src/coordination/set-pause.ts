import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { Pause } from './pause.js';
import { pauseColumns } from './pause.js';

const statement: SqlStatement = {
  name: 'set_pause',
  text: `
INSERT INTO pause (program_id, operation, since, set_by, reason, automatic)
VALUES ($1, $2, $3::timestamptz, $4, $5, $6)
ON CONFLICT (program_id, operation) WHERE lifted_at IS NULL DO UPDATE SET since = pause.since
RETURNING ${pauseColumns}, xmax = 0 AS "isNew"`,
};

/** `already-paused`: the same target was paused before; that pause stays as it is. */
export interface SetPauseResult {
  readonly kind: 'paused' | 'already-paused';
  readonly pause: Pause;
}

/**
 * Stops a program, an operation or all: nothing new of it is begun by any replica from a second later on. Calls that
 * are under way end as they end. `reason` is stored in the clear: nothing personal may stand in it.
 */
export async function setPause(
  database: Pick<Database, 'execute'>,
  request: Omit<Pause, 'pauseId' | 'since'> & { readonly now: number },
): Promise<SetPauseResult> {
  const { program, operation, by, reason, automatic, now } = request;
  const { rows } = await database.execute<Pause & { readonly isNew: boolean }>(statement, [
    program,
    operation,
    timestamp(now),
    by,
    reason,
    automatic,
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('a pause was neither set nor found');
  const { isNew, ...pause } = row;
  return { kind: isNew ? 'paused' : 'already-paused', pause };
}
