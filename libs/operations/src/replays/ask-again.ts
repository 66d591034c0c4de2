import type { OperatorWord, Replay } from '#intents';
import { findReplay, startReplay } from '#intents';
import type { Database } from '#platform';

import type { Actor } from '../requests/actor.js';
import { actingRole, requireForce, requireRoleOf } from '../privileges/require-admin.js';
import type { AskedPace, AskedSelection } from './replay-differences.js';
import { paceDifferences, selectionDifferences } from './replay-differences.js';
import { asksForAnother, noSuchReplay, standsOtherwise } from './replay-problems.js';

/** A request for a replay whose id is known. */
export interface AskedAgain {
  /** As it was found. */
  readonly replay: Replay;
  readonly selection: AskedSelection;
  readonly pace: AskedPace;
  readonly isDryRun: boolean;
  readonly actor: Actor;
  readonly word: OperatorWord;
}

/** @throws {ApiProblem} where there are differences */
function refuseDifferences({ replayId }: Replay, differences: readonly string[]): void {
  if (differences.length > 0) throw asksForAnother(replayId, differences);
}

/** Starts a dry run; whoever asks for what runs already changes nothing. */
async function start(database: Database, { replay, pace, actor, word }: AskedAgain): Promise<Replay> {
  const { replayId } = replay;
  const started = await startReplay(database, { replayId, ...pace, word, role: actingRole(actor) });
  if (started !== null) return started;
  const found = await findReplay(database, replayId);
  if (found === null) throw noSuchReplay();
  if (found.state === 'planned') requireRoleOf(found, actor);
  // Nobody ever had it sent: to say that it is done would be wrong.
  if (found.state === 'cancelled' && found.startedAt === null) throw standsOtherwise(found.state);
  refuseDifferences(found, paceDifferences(found, pace));
  return found;
}

/**
 * The same request once more finds what the first one made; a dry run is started by it, at the pace that is asked for now.
 * @throws {ApiProblem} where something else is asked for than what the id stands for
 */
export async function askAgain(database: Database, asked: AskedAgain): Promise<Replay> {
  const { replay, selection, isDryRun, actor } = asked;
  if (!isDryRun) requireForce(replay.isForced, actor);
  refuseDifferences(replay, selectionDifferences(replay, selection));
  return isDryRun ? replay : start(database, asked);
}
