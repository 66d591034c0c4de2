export { comparePass } from './compare-pass.js';
export type { PassComparison } from './compare-pass.js';
export { isPastResolving, nextCheckAt } from './check-time.js';
export { readsBefore, resolutionOf } from './resolution.js';
export type { Resolution, UnknownPolicy } from './resolution.js';
export { forgottenCode } from './resolution-after-recovery.js';
export { duplicateIssueCode, resolutionStep } from './resolution-step.js';
export type { ResolutionStep } from './resolution-step.js';
