import type { Database } from '../database/database.js';
import { anchorClock } from './anchor-clock.js';
import { SystemClock } from './system-clock.js';

/** Answers `at` and lets the round trip take `tripMs` of the clock's own time. */
class ScriptedClock extends SystemClock {
  private readonly readings: number[];

  constructor(...readings: readonly number[]) {
    super();
    this.readings = [...readings];
  }

  override monotonic(): number {
    return this.readings.shift() ?? super.monotonic();
  }
}

function databaseAt(...rows: readonly { readonly at: number }[]): Database {
  const execute = async (): Promise<unknown> => ({ rows, rowCount: rows.length });
  return { execute } as unknown as Database;
}

describe('anchorClock', () => {
  it('takes the database\u2019s time for the middle of the round trip', async () => {
    const clock = new ScriptedClock(1_000, 1_400);
    const before = clock.now() - performance.now();
    const moved = await anchorClock(clock, databaseAt({ at: 50_000 }));
    expect(moved).toBeCloseTo(50_000 - 1_200 - before, -2);
    expect(clock.now() - performance.now()).toBeCloseTo(48_800, -1);
  });

  it('fails when the database answers no time', async () => {
    await expect(anchorClock(new SystemClock(), databaseAt())).rejects.toThrow('no time');
  });
});
