export { checkHistory, judgeHistory } from './check-history.js';
export type { RunFigures, Verdict } from './check-history.js';
export type * from './history.js';
export type { ExposureBucket, InvariantId, Violation } from './invariants/invariant.js';
export { describeRecord } from './describe-record.js';
export { judgeRun, RunSampler } from './from-run.js';
export type { MeantBy } from './from-run.js';
