export { OperationsModule } from './operations.module.js';
export type { ProbeAnswer, ProbeSource } from './probes/probe-source.js';
