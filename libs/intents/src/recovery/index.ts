export { beginRecovery, RecoveryRefusedError } from './begin-recovery.js';
export type { Recovery } from './begin-recovery.js';
export { findRecovery } from './find-recovery.js';
export type { RecoveryStanding } from './find-recovery.js';
