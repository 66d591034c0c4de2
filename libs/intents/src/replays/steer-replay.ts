import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { ActingRole, OperatorWord } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';
import type { Replay, ReplayState } from './replay.js';
import { replayColumns } from './replay.js';

export type ReplaySteering = 'pause' | 'resume' | 'cancel';

const from: Readonly<Record<ReplaySteering, readonly ReplayState[]>> = {
  pause: ['running'],
  resume: ['paused', 'stopped'],
  cancel: ['planned', 'running', 'paused', 'stopped'],
};

const to: Readonly<Record<ReplaySteering, ReplayState>> = { pause: 'paused', resume: 'running', cancel: 'cancelled' };

/** SQL: what its canary stopped begins with a new one where somebody lets it go on. */
const isNewCanary = `(state = 'stopped' AND $2 = 'running')`;

const steerStatement: SqlStatement = {
  name: 'steer_replay',
  text: `
UPDATE replay SET state = $2, stopped_because = NULL, owner = NULL, leased_until = NULL, counts = NULL,
  canary_from = CASE WHEN ${isNewCanary}
    THEN (SELECT COALESCE(max(ordinal), 0) FROM replay_item i
      WHERE i.replay_id = replay.replay_id AND i.state <> 'waiting')
    ELSE canary_from END,
  settled = CASE WHEN ${isNewCanary} THEN 0 ELSE settled END,
  failed = CASE WHEN ${isNewCanary} THEN 0 ELSE failed END,
  finished_at = CASE WHEN $2 = 'cancelled' THEN $4::timestamptz END
WHERE replay_id = $1 AND state = ANY ($3::text[]) AND ($5::boolean OR needs_role = 'operator')
RETURNING ${replayColumns}`,
};

const skipStatement: SqlStatement = {
  name: 'skip_replay_items',
  text: `UPDATE replay_item SET state = 'skipped' WHERE replay_id = $1 AND state = 'waiting'`,
};

export interface ReplaySteered {
  readonly replayId: string;
  readonly steering: ReplaySteering;
  readonly word: OperatorWord;
  /** Of who says so: all but a pause may take an admin. */
  readonly role: ActingRole;
}

/**
 * A person's word on a replay; null where it does not stand so that this could be done, or takes another role. What was
 * sent stays sent.
 */
export async function steerReplay(
  database: Database,
  { replayId, steering, word, role }: ReplaySteered,
): Promise<Replay | null> {
  const mayAlways = steering === 'pause' || role === 'admin';
  return database.transaction('steer_replay', async (session) => {
    const parameters = [replayId, to[steering], from[steering], timestamp(word.at), mayAlways];
    const [replay] = (await session.query<Replay>(steerStatement, parameters)).rows;
    if (replay === undefined) return null;
    if (steering === 'cancel') await session.query(skipStatement, [replayId]);
    await recordAction(session, { word, action: `replay.${steering}`, place: null, detail: { replay: replayId } });
    return replay;
  });
}
