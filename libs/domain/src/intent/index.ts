export { decide } from './decide.js';
export type { Decision, IgnoredCommandReason } from './decision.js';
export type { DeliveryPolicy, UnknownPolicy } from './delivery-policy.js';
export { passRecheckAt } from './decide-waiting.js';
export { evolve } from './evolve.js';
export type { IntentCommand } from './intent-command.js';
export type { IntentEvent, IntentEventType, ParkedLane, ParkedReason, WaitsFor } from './intent-event.js';
export { initialIntentState, isSettled } from './intent-state.js';
export type { IntentHistory, IntentState, IntentStatus } from './intent-state.js';
