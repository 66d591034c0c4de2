import type { Database, SqlStatement } from '../database/database.js';
import type { SystemClock } from './system-clock.js';

/** How often the offset to the database's clock is measured again. */
export const clockAnchorIntervalMs = 10_000;

const readDatabaseClock: SqlStatement = {
  name: 'read_database_clock',
  text: 'SELECT clock_timestamp() AS "at"',
};

/**
 * Measures the offset to the database's clock once, at half of the round trip.
 * @returns by how many milliseconds the clock moved
 */
export async function anchorClock(clock: SystemClock, database: Database): Promise<number> {
  const before = clock.monotonic();
  const { rows } = await database.execute<{ at: number }>(readDatabaseClock);
  const after = clock.monotonic();
  const row = rows[0];
  if (row === undefined) throw new Error('the database returned no time');
  return clock.anchor(row.at, (before + after) / 2);
}
