export type * from './attempt-outcome.js';
export { retryAfterMsMax, retryDelayMs, retryDelayMsMax, retryDelayMsMin } from './retry-delay.js';
export type * from './attempt-observation.js';
export { classifyOutcome, isUnprovenCode } from './classify-outcome.js';
export { refusalFingerprint } from './refusal-fingerprint.js';
