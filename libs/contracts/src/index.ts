export * from './source-events/index.js';
export * from './programs/index.js';
export * from './environment/index.js';
export * from './partner/index.js';
export * from './outcome-events/index.js';
export * from './published/index.js';
export * from './operations-api/index.js';
