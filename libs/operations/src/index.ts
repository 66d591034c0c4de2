export { OperationsModule } from './operations.module.js';
export type { ApiSettings } from './api-settings.js';
export { jobRunner } from './jobs/job-runner.js';
export { JobFailedError } from './jobs/job-kind.js';
export type { JobWork } from './jobs/job-kind.js';
export { replayRunner } from './replays/replay-runner.js';
export { ProblemFilter } from './problems/problem.filter.js';
export type { ProbeAnswer, ProbeSource } from './probes/probe-source.js';
