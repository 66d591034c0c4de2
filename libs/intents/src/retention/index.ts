export { findArchivedIntent } from './archived-intents.js';
export type { ArchivedIntent } from './archived-intents.js';
export { planRetention, retain } from './retain.js';
export type { RetentionPlan, RetentionTools } from './retain.js';
export { dayMs, RetentionStoppedError } from './retention-run.js';
export type { RetentionPolicy, RetentionReport } from './retention-run.js';
