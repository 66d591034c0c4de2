import { testDatabase } from '#test-support';
import { createDataSource } from '../database/data-source.js';
import { DatabaseError } from '../database/database-error.js';
import type { Database } from '../database/database.js';
import { TypeormDatabase } from '../database/typeorm-database.js';
import { anchorClock, AnchoredDatabase, ClockAnchor } from './clock-anchor.js';
import { SystemClock } from './clock.js';

const hourMs = 3_600_000;
/** Whole hours: asking for the time takes as long as a busy machine lets it. */
const hoursApart = (one: number, other: number): number => Math.abs(Math.round((one - other) / hourMs));

it('brings a clock that is hours off to the database\u2019s time', async () => {
  const { url, dispose } = await testDatabase({ migrate: false });
  const onPoolError = (): void => undefined;
  const source = createDataSource({
    url,
    poolSize: 1,
    ssl: false,
    applicationName: 'spec',
    migrations: [],
    onPoolError,
  });
  await source.initialize();
  const clock = new SystemClock();
  clock.anchor(clock.now() - 2 * hourMs, clock.monotonic());
  const database = new TypeormDatabase(source);

  const moved = await anchorClock(clock, database);
  const { rows } = await database.execute<{ at: number }>({ name: 'time', text: 'SELECT clock_timestamp() AS at' });

  expect(hoursApart(moved, 0)).toBe(2);
  expect(hoursApart(clock.now(), rows[0]!.at)).toBe(0);
  await source.destroy();
  await dispose();
});

const one = { name: 'one', text: 'SELECT 1 AS "one"' };

describe('work on a database whose clock has jumped', () => {
  it('is refused as if the database were away, until the clock is anchored again', async () => {
    const { url, dispose } = await testDatabase({ migrate: false });
    const settings = { url, poolSize: 2, ssl: false as const, applicationName: 'spec', migrations: [] };
    const source = createDataSource({ ...settings, onPoolError: () => undefined });
    await source.initialize();
    const real = new TypeormDatabase(source);
    const clock = new SystemClock();
    const anchor = new ClockAnchor(clock, real);
    await anchor.start();
    const database = new AnchoredDatabase(real, anchor);
    expect((await database.execute(one)).rows).toEqual([{ one: 1 }]);

    clock.anchor(clock.now() - hourMs, clock.monotonic());
    await anchor.measure();
    await expect(database.execute(one)).rejects.toMatchObject({ kind: 'unavailable', operation: 'one' });
    await expect(database.transaction('all', (session) => session.query(one))).rejects.toMatchObject({
      ...{ kind: 'unavailable', operation: 'all' },
    });

    await anchor.measure();
    const { rows } = await database.execute<{ at: number }>({ name: 'at', text: 'SELECT clock_timestamp() AS at' });
    expect(hoursApart(clock.now(), rows[0]!.at)).toBe(0);
    anchor.stop();
    await source.destroy();
    await dispose();
  });
});

describe('a failed call', () => {
  const failing = (kind: DatabaseError['kind']): Database => {
    const fail = (): Promise<never> => Promise.reject(new DatabaseError('any', kind, { sqlState: null, cause: null }));
    return { execute: fail, transaction: fail };
  };

  it.each([
    ['unavailable', 1],
    ['contention', 0],
    ['failed', 0],
  ] as const)('costs the clock its trust when the connection was lost: %s', async (kind, doubts) => {
    let doubted = 0;
    const anchor = {
      isTrusted: true,
      doubt: () => {
        doubted += 1;
      },
    };
    const database = new AnchoredDatabase(failing(kind), anchor);
    await expect(database.execute(one)).rejects.toMatchObject({ kind });
    expect(doubted).toBe(doubts);
  });
});
