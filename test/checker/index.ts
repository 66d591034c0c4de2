export { checkHistory, Court, judgeHistory } from './check-history.js';
export type { Verdict } from './check-history.js';
export type * from './history/history.js';
export type * from './history/lane-history.js';
export type * from './history/partner-history.js';
export type * from './history/run-history.js';
export { truthDigest } from './lane/truth-digest.js';
export type { RunFigures } from './run-figures.js';
export type { ExposureBucket, InvariantId, Violation } from './violation.js';
