import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { ActingRole, OperatorWord } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';
import type { Replay } from './replay.js';
import { replayColumns } from './replay.js';

interface ReplayStart {
  readonly replayId: string;
  /** Null: as the dry run has it. */
  readonly ratePerSecond: number | null;
  readonly isCanary: boolean | null;
  /** From now on every intent that is put back says so. */
  readonly word: OperatorWord;
  readonly role: ActingRole;
}

const statement: SqlStatement = {
  name: 'start_replay',
  text: `
UPDATE replay SET state = 'running', rate_per_second = COALESCE($2::float8, rate_per_second),
  is_canary = COALESCE($3::boolean, is_canary), started_at = $4::timestamptz, started_by = $5, start_reason = $6,
  needs_role = $7, owner = NULL, leased_until = NULL, counts = NULL
WHERE replay_id = $1 AND state = 'planned' AND ($7 = 'admin' OR needs_role = 'operator')
RETURNING ${replayColumns}`,
};

/** Lets a dry run be sent; null where it is none, or none any more, or where this takes another role. */
export async function startReplay(database: Database, request: ReplayStart): Promise<Replay | null> {
  const { replayId, ratePerSecond, isCanary, word, role } = request;
  return database.transaction('start_replay', async (session) => {
    const parameters = [replayId, ratePerSecond, isCanary, timestamp(word.at), word.actor, word.reason, role];
    const [replay] = (await session.query<Replay>(statement, parameters)).rows;
    if (replay === undefined) return null;
    const detail = { replay: replayId, ratePerSecond: replay.ratePerSecond, canary: replay.isCanary };
    await recordAction(session, { word, action: 'replay.start', place: null, detail });
    return replay;
  });
}
