/** For the specs of other libraries: a store of their own, with records and deliveries in it as intents' own specs make them. */
export { eraseMember } from '../store/batch/cancel-queued.js';
export { findMembers, raiseGeneration } from '../store/batch/members.js';
export { attemptOf, clearData } from '../store/events/stored-event.js';
export type { ActionRequest } from '../store/operator/intent-action-repository.js';
export * from './lease.js';
export { happens, outcomeReader, SettableClock } from './outcome-reader.js';
export * from './records.js';
export { Retaining } from './retaining.js';
export * from './test-store.js';
