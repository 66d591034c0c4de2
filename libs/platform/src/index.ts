export type { CancelTimer, Clock } from './clock/clock.js';
export type { Random } from './random/random.js';
export type { Wake } from './wake/wake.js';
export type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from './database/database.js';
