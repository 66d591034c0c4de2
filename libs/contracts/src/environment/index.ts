export { DEFAULT_TOPICS, LOG_LEVELS, ROLES } from './environment.js';
export type * from './environment.js';
export { readEnvironment } from './read-environment.js';
export type { EnvironmentOptions, EnvironmentResult } from './read-environment.js';
export { isSecureUrl } from './value-schemas.js';
