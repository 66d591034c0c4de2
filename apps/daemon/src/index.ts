export { runAcceptGap } from './run-accept-gap.js';
export type { AcceptGapOptions } from './run-accept-gap.js';
export { runDoctor } from './run-doctor.js';
export { runDaemon } from './run-daemon.js';
export { runMigrate } from './run-migrate.js';
export type { MigrateOptions } from './run-migrate.js';
export { runRebuild } from './run-rebuild.js';
export { runRotateKeys } from './run-rotate-keys.js';
export { kafkaConnection } from './wiring/kafka-connection.js';
