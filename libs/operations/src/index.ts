export { OperationsModule } from './operations.module.js';
export type { ApiSettings } from './api-settings.js';
export { replayRunner } from './replays/replay-runner.js';
export { ProblemFilter } from './problems/problem.filter.js';
export type { ProbeAnswer, ProbeSource } from './probes/probe-source.js';
export type { ProgramsControl, ReloadOutcome } from './reload/programs-control.js';
