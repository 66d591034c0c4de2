import type { Database, SqlStatement } from '../database/database.js';
import type { SystemClock } from './system-clock.js';

const statement: SqlStatement = {
  name: 'read_database_clock',
  text: 'SELECT clock_timestamp() AS "at"',
};

/** One reading of the database's clock. */
export interface DatabaseClockReading {
  /** Epoch milliseconds. */
  readonly databaseMs: number;
  /** Our monotonic clock in the middle of the round trip. */
  readonly readAt: number;
  readonly roundTripMs: number;
}

/** Reads the database's clock. */
export async function readDatabaseClock(
  clock: Pick<SystemClock, 'monotonic'>,
  database: Database,
): Promise<DatabaseClockReading> {
  const before = clock.monotonic();
  const { rows } = await database.execute<{ at: number }>(statement);
  const after = clock.monotonic();
  const row = rows[0];
  if (row === undefined) throw new Error('the database returned no time');
  return { databaseMs: row.at, readAt: (before + after) / 2, roundTripMs: after - before };
}

/**
 * Anchors the clock to the database's once, at half of the round trip. A process that runs on keeps a `ClockAnchor`.
 * @returns by how many milliseconds the clock moved
 */
export async function anchorClock(clock: SystemClock, database: Database): Promise<number> {
  const { databaseMs, readAt } = await readDatabaseClock(clock, database);
  return clock.anchor(databaseMs, readAt);
}
