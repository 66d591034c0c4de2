export { checkHistory, judgeHistory } from './check-history.js';
export type { RunFigures, Verdict } from './check-history.js';
export type * from './history.js';
export type { ExposureBucket, InvariantId, Violation } from './invariants/invariant.js';
export { judgeRun, RunSampler } from './reading/judge-run.js';
export { askedEffect, MemberSeals } from './reading/member-seals.js';
export { describeRecord, readLog, readOutcomes, readTopics } from './reading/read-topics.js';
