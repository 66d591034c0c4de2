import { comesToRest, nothingLeftOver, othersNotSlowed, rebuildIsLive } from './at-rest.js';
import { epochsRise, oneOutcome, writeAhead } from './attempts.js';
import { keyedEffectsOnce, noBlindResend, plainEffectsOnce, truthfulOutcomes } from './effects.js';
import type { Invariant } from './invariant.js';
import { appliedInOrder, lanePosition, noOverlap, operatorDecisionsFirst } from './order.js';
import { limitsObeyed, oneTokenRefresh, policiesObeyed } from './policies.js';
import { denseAndUnique, noIntentInvented, noRecordLost, offsetsRise, sourceOrder } from './recording.js';
import { nothingInTheClear, outcomesPublished, truthUnchanged } from './visible.js';

/** Design.md section 9, in its order. */
export const invariants: readonly Invariant[] = [
  noRecordLost,
  noIntentInvented,
  denseAndUnique,
  sourceOrder,
  appliedInOrder,
  keyedEffectsOnce,
  plainEffectsOnce,
  truthfulOutcomes,
  writeAhead,
  oneOutcome,
  lanePosition,
  epochsRise,
  noOverlap,
  othersNotSlowed,
  comesToRest,
  rebuildIsLive,
  outcomesPublished,
  truthUnchanged,
  offsetsRise,
  limitsObeyed,
  oneTokenRefresh,
  nothingInTheClear,
  nothingLeftOver,
  policiesObeyed,
  noBlindResend,
  operatorDecisionsFirst,
];

/** What is checked where, as a table of Markdown: README.md holds it, its spec holds README.md to it. */
export function invariantTable(): string {
  const rows = invariants.map(({ id, checks, cannotSee, elsewhere }) => {
    const tests = elsewhere.length === 0 ? 'nowhere else' : elsewhere.map((path) => `\`${path}\``).join(', ');
    return `| ${id} | ${checks} | ${cannotSee} | ${tests} |`;
  });
  return ['| | checked here | not seen here | the rest is checked by |', '|---|---|---|---|', ...rows].join('\n');
}
