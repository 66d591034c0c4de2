import type { ApiProblem } from '../api/api-problem.js';
import { ApiProblem as Problem } from '../api/api-problem.js';
import type { Intent } from './intent-words.js';
import { textIn } from './intent-words.js';
import { correctedSince } from './what-next.js';

/** What a person can do to one intent. */
export type ActionName = 'replay' | 'correct' | 'cancel' | 'delivered' | 'not-delivered';

/** The daemon refuses to put it back more often, unless an admin insists. */
const requeuesMax = 5;

export const isInDoubt = ({ status, reason }: Intent): boolean => status === 'parked' && reason === 'unknown-outcome';

const requeues = ({ type, data }: Intent['events'][number]): boolean =>
  (type === 'IntentReplayed' && textIn(data, 'by') !== 'loyaltyd') ||
  (type === 'IntentResolved' && textIn(data, 'as') === 'not-delivered');

/** It was put back so often that it takes an admin who insists. */
export const comesBackEachTime = ({ events }: Intent): boolean => events.filter(requeues).length >= requeuesMax;

const settled = 'Nothing is left to do: it is ';
const atWork = 'An attempt is under way, or evidence of one is looked for: wait until it is settled or parked.';
const alone = 'It is not parked: it will be sent by itself.';
const doubtful = 'It may have taken effect: look at the partner, then resolve it.';

function statusObstacle({ status }: Intent): string | null {
  if (status === 'delivered' || status === 'cancelled') return `${settled}${status}.`;
  return status === 'delivering' || status === 'unknown' ? atWork : null;
}

const needParked: ReadonlySet<ActionName> = new Set(['replay', 'delivered', 'not-delivered']);
const needNoDoubt: ReadonlySet<ActionName> = new Set(['replay', 'correct']);

/** Why that cannot be done to it as it stands; null: it can, as far as can be seen here. The daemon judges again. */
export function obstacleOf(intent: Intent, action: ActionName): string | null {
  const obstacle = statusObstacle(intent);
  if (obstacle !== null) return obstacle;
  if (intent.isErased && action !== 'cancel') return 'The member was erased: nothing is left to send or to say.';
  if (needParked.has(action) && intent.status !== 'parked') return alone;
  return needNoDoubt.has(action) && isInDoubt(intent) ? doubtful : null;
}

/** Which actions stand out: the one to do next, those beside it, and those that must be looked for. */
export interface ActionRanks {
  readonly main: ActionName | 'ask' | null;
  readonly beside: readonly ActionName[];
  readonly more: readonly ActionName[];
}

const rest: readonly ActionName[] = ['replay', 'correct', 'delivered', 'not-delivered', 'cancel'];
const ranked = (main: ActionRanks['main'], ...beside: readonly ActionName[]): ActionRanks => ({
  main,
  beside,
  more: rest.filter((action) => action !== main && !beside.includes(action)),
});
/** Sent once more as soon as what stopped it is mended. */
const replayable: ReadonlySet<string> = new Set([
  'rejected',
  'exhausted',
  'missing-pass',
  'not-a-member',
  'missing-purchase',
]);

function ranksInDoubt(proven: 'applied' | 'not-applied' | 'nothing' | null): ActionRanks {
  if (proven === 'applied') return ranked('delivered');
  if (proven === 'not-applied') return ranked('not-delivered');
  // What has just proved nothing proves nothing if it is asked again at once.
  return ranked(proven === 'nothing' ? null : 'ask', 'delivered', 'not-delivered');
}

/** @param proven what the partner’s answer of just now proves of it; null: it was not asked */
export function ranksOf(intent: Intent, proven: 'applied' | 'not-applied' | 'nothing' | null): ActionRanks {
  if (isInDoubt(intent)) return ranksInDoubt(proven);
  if (intent.status !== 'parked') return ranked(null, 'correct');
  // The same refusal would come again.
  if (intent.reason === 'rejected' && correctedSince(intent) === undefined) return ranked('correct', 'replay');
  return replayable.has(intent.reason ?? '') ? ranked('replay', 'correct') : ranked(null, 'replay', 'correct');
}

/** What to do about a refusal, by its code: the daemon's own words say why. */
const advice: Readonly<Record<string, string>> = {
  'already-settled': 'Somebody, or a later record, settled it meanwhile. Close this and read its story.',
  'in-flight': 'Close this: the page shows when it is settled or parked.',
  'in-doubt': 'Look at the partner first: the member’s page can ask it.',
  'not-parked': 'Somebody put it back meanwhile. Close this and read its story.',
  voided: 'Resolve it as delivered if the partner has it, else cancel it.',
  'nothing-to-send': 'Correct it: give it a content.',
  merged: 'Have it told anew for the member who lives on, under a number of its own, and cancel this.',
  'not-a-member': 'Cancel it, or replay it once the member has come back.',
  'too-many-put-back': 'Try again when some of them are sent.',
  'replayed-too-often': 'Find out why it comes back. An admin may insist, below.',
  'over-refund': 'Look at the receipt: correct the amount, or cancel this. An admin may insist, below.',
  role: 'Ask somebody who has that role.',
  'needs-admin': 'Ask an admin to do it.',
  'read-only': 'Nobody can change anything here while that is set.',
  'limited-to-programs': 'Ask somebody whose token is not limited to other programs.',
  'invalid-command': 'Nothing was changed. Mend what it names.',
  'nothing-changed': 'Somebody may have corrected it alike meanwhile.',
  'no-answer': 'Read its story before you try again: it shows whether it was done.',
};

/** The same refusal, with what to do about it. */
export function withAdvice(problem: ApiProblem): ApiProblem {
  const words = advice[problem.code];
  if (words === undefined) return problem;
  const { status, code, title, detail, requestId, retryAfterSeconds } = problem;
  return new Problem({ status, code, title, requestId, retryAfterSeconds, detail: `${detail ?? title} ${words}` });
}
