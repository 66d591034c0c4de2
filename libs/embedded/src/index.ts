export { startEmbeddedBroker } from './broker/embedded-broker.js';
export type { EmbeddedBroker } from './broker/embedded-broker.js';
export { startEmbeddedPostgres } from './postgres/embedded-postgres.js';
export type { EmbeddedPostgres } from './postgres/embedded-postgres.js';
export { startBoundProcess } from './processes/bound-process.js';
export type { BoundProcess } from './processes/bound-process.js';
export { freeLoopbackPorts } from './processes/loopback-port.js';
export { waitUntil } from './processes/wait-until.js';
export type { WaitOptions } from './processes/wait-until.js';
