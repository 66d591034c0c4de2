export { OperationsModule } from './operations.module.js';
export type { ApiSettings } from './api-settings.js';
export { replayRunner } from './replays/replay-runner.js';
export { ProblemFilter } from './problems/problem.filter.js';
export type { ProbeAnswer, ProbeSource } from './probes/probe-source.js';
export { StatsBoard } from './stats/stats-board.js';
export type { OwnProcess, PartnerGate, Stats } from './stats/stats-board.js';
export { countsByStatus } from './stats/counts-by-status.js';
export { LiveFeed } from './stream/live-feed.js';
