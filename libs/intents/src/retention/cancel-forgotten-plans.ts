import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { steerReplay } from '../replays/steer-replay.js';

/** In one run; the rest another day. */
const plansMax = 500;

const statement: SqlStatement = {
  name: 'find_forgotten_plans',
  isRead: true,
  text: `
SELECT replay_id AS "replayId" FROM replay WHERE state = 'planned' AND created_at < $1::timestamptz
ORDER BY created_at LIMIT ${plansMax}`,
};

const reason = 'planned long ago, and never started';

/** Cancels dry runs that nobody has started: what they name is held until then. */
export async function cancelForgottenPlans(
  database: Database,
  { createdBefore, now }: { readonly createdBefore: number; readonly now: number },
  stillOurs: () => Promise<void>,
): Promise<void> {
  const word = { at: now, actor: 'loyaltyd', address: null, reason };
  const { rows } = await database.execute<{ replayId: string }>(statement, [timestamp(createdBefore)]);
  for (const { replayId } of rows) {
    await stillOurs();
    await steerReplay(database, { replayId, steering: 'cancel', word, role: 'admin' });
  }
}
