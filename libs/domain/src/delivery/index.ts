export type * from './attempt-outcome.js';
