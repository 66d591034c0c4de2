import type { Database } from '#platform';

import { liftPause } from '../coordination/lift-pause.js';
import type { Pause, PauseTarget } from '../coordination/pause.js';
import { setPause } from '../coordination/set-pause.js';
import type { SetPauseResult } from '../coordination/set-pause.js';
import type { OperatorWord } from './record-action.js';
import { recordAction } from './record-action.js';
import { within } from './within.js';

/** A person stops something, and leaves a trace. What was paused before stays as it is, and leaves none. */
export async function pauseByOperator(
  database: Database,
  { program, operation }: PauseTarget,
  word: OperatorWord,
): Promise<SetPauseResult> {
  const { actor: by, reason, at: now } = word;
  return database.transaction('pause_by_operator', async (session) => {
    const result = await setPause(within(session), { program, operation, by, reason, automatic: false, now });
    const detail = { program, operation };
    if (result.kind === 'paused') await recordAction(session, { word, action: 'pause.set', place: null, detail });
    return result;
  });
}

/** A person lets it go on, and leaves a trace; null where exactly this is not paused. */
export async function resumeByOperator(
  database: Database,
  { program, operation }: PauseTarget,
  word: OperatorWord,
): Promise<Pause | null> {
  const { actor: by, reason, at: now } = word;
  return database.transaction('resume_by_operator', async (session) => {
    const lifted = await liftPause(within(session), { program, operation, by, reason, now });
    const detail = { program, operation };
    if (lifted !== null) await recordAction(session, { word, action: 'pause.lift', place: null, detail });
    return lifted;
  });
}
