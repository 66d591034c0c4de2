export { decide } from './decide.js';
export { unknownInLostHistory } from './decide-forgotten.js';
export type { Decision, IgnoredCommandReason } from './decision.js';
export type { DeliveryPolicy } from './delivery-policy.js';
export { nextPurchaseCheckAt, passRecheckAt } from './decide-waiting.js';
export { evolve } from './evolve.js';
export type { Finding, IntentCommand, PurchaseStanding } from './intent-command.js';
export type {
  IntentEvent,
  IntentEventType,
  ParkedLane,
  ParkedReason,
  PassBefore,
  ResendBasis,
  WaitsFor,
} from './intent-event.js';
export { isOpenAgain } from './is-open-again.js';
export { isUntouched } from './is-untouched.js';
export { initialIntentState, isSettled } from './intent-state.js';
export type { IntentHistory, IntentState, IntentStatus, UnknownIntent } from './intent-state.js';
export { nextFindingAt } from './decide-resolution.js';
