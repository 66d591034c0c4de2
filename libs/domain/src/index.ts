export { groupOf, needsPass, OPERATIONS } from './operation.js';
export type { Operation, OperationGroup, PassOperation } from './operation.js';
export * from './routing/index.js';
export * from './intent/index.js';
export * from './delivery/index.js';
export * from './lane/index.js';
export * from './resolution/index.js';
export * from './identity/index.js';
export * from './provisioning/index.js';
