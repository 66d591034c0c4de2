export { findArchivedIntent } from './find-archived-intent.js';
export type { ArchivedIntent } from './find-archived.js';
export { planRetention } from './plan-retention.js';
export type { RetentionPlan } from './plan-retention.js';
export { retain } from './retain.js';
export type { RetentionTools } from './retain.js';
export { RetentionStoppedError } from './retention-hold.js';
export { dayMs } from './retention-policy.js';
export type { RetentionPolicy, RetentionReport } from './retention-policy.js';
