export { OUTCOME_EVENT_SCHEMAS } from './outcome-event.js';
export type { IntentDelivered, IntentParked, OutcomeData, OutcomeEventName, PassIssued } from './outcome-event.js';
