/** For the specs of other libraries: a store of their own, with records and deliveries in it as intents' own specs make them. */
export { eraseMember } from '../batch/consequences.js';
export { findMembers, raiseGeneration } from '../batch/members.js';
export { attemptOf, clearData } from '../events/stored-event.js';
export type { ActionRequest } from '../operator/act-on-intent.js';
export * from './lease.js';
export { happens, outcomeReader, SettableClock } from './outcome-reader.js';
export * from './records.js';
export { Retaining } from './retaining.js';
export * from './test-store.js';
