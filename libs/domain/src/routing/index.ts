export type * from './partner-command.js';
export type * from './route-result.js';
