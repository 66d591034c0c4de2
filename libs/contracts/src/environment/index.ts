export { DEFAULT_TOPICS, LOG_LEVELS, ROLES } from './environment.js';
export type * from './environment.js';
export { readEnvironment, readEnvironmentParts } from './read-environment.js';
export type { EnvironmentOptions, EnvironmentParts, EnvironmentResult } from './read-environment.js';
export { parsePairs } from './tracing-environment.js';
export { isSecureUrl } from './value-schemas.js';
