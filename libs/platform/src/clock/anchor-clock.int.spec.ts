import { testDatabase } from '#test-support';

import { createDataSource } from '../database/create-data-source.js';
import { TypeormDatabase } from '../database/typeorm-database.js';
import { anchorClock } from './anchor-clock.js';
import { SystemClock } from './system-clock.js';

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
  clock.anchor(clock.now() - 7_200_000, clock.monotonic());
  const database = new TypeormDatabase(source);

  const moved = await anchorClock(clock, database);
  const { rows } = await database.execute<{ at: number }>({ name: 'time', text: 'SELECT clock_timestamp() AS at' });

  expect(moved).toBeGreaterThan(7_000_000);
  expect(Math.abs(clock.now() - rows[0]!.at)).toBeLessThan(500);
  await source.destroy();
  await dispose();
});
