import { appliedInOrder } from './applied-in-order.js';
import { comesToRest } from './comes-to-rest.js';
import { denseAndUnique } from './dense-and-unique.js';
import { keyedEffectsOnce, plainEffectsOnce } from './effects-once.js';
import { epochsRise } from './epochs-rise.js';
import type { Invariant } from './invariant.js';
import { lanePosition } from './lane-position.js';
import { limitsObeyed } from './limits-obeyed.js';
import { noBlindResend } from './no-blind-resend.js';
import { noIntentInvented } from './no-intent-invented.js';
import { noOverlap } from './no-overlap.js';
import { noRecordLost } from './no-record-lost.js';
import { nothingInTheClear } from './nothing-in-the-clear.js';
import { nothingLeftOver } from './nothing-left-over.js';
import { offsetsRise } from './offsets-rise.js';
import { oneOutcome } from './one-outcome.js';
import { oneTokenRefresh } from './one-token-refresh.js';
import { operatorsWordFirst } from './operators-word-first.js';
import { othersNotSlowed } from './others-not-slowed.js';
import { outcomesTold } from './outcomes-told.js';
import { policiesObeyed } from './policies-obeyed.js';
import { rebuildIsLive } from './rebuild-is-live.js';
import { sourceOrder } from './source-order.js';
import { truthUnchanged } from './truth-unchanged.js';
import { truthfulOutcomes } from './truthful-outcomes.js';
import { writeAhead } from './write-ahead.js';

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
  outcomesTold,
  truthUnchanged,
  offsetsRise,
  limitsObeyed,
  oneTokenRefresh,
  nothingInTheClear,
  nothingLeftOver,
  policiesObeyed,
  noBlindResend,
  operatorsWordFirst,
];
