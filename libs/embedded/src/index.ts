export { startEmbeddedBroker } from './broker/embedded-broker.js';
export type { EmbeddedBroker, EmbeddedBrokerOptions } from './broker/embedded-broker.js';
export { startEmbeddedPostgres } from './postgres/embedded-postgres.js';
export type { EmbeddedPostgres, EmbeddedPostgresOptions } from './postgres/embedded-postgres.js';
export { startBoundProcess } from './processes/bound-process.js';
export type { BoundProcess, BoundProcessOptions } from './processes/bound-process.js';
export { freeLoopbackPorts } from './processes/loopback-port.js';
export { waitUntil } from './processes/wait-until.js';
export type { WaitOptions } from './processes/wait-until.js';
