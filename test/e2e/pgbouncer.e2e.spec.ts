import { describeUnless, queryOnce } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import type { Pgbouncer, PoolMode } from './pgbouncer.js';
import { pgbouncerMissing, startPgbouncer } from './pgbouncer.js';

const refused = /ended with 1[^]*a pooler between here and Postgres[^]*connect to Postgres itself/;
const ignoring = ['ignore_startup_parameters = options'];

describeUnless(pgbouncerMissing, 'a PgBouncer between a daemon and its database', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
  });

  afterAll(async () => {
    await harness.close();
  });

  const behind = async <T>(
    mode: PoolMode,
    lines: readonly string[],
    work: (bouncer: Pgbouncer) => Promise<T>,
  ): Promise<T> => {
    const bouncer = await startPgbouncer(harness.database.url, mode, lines);
    try {
      return await work(bouncer);
    } finally {
      await bouncer.stop();
    }
  };

  it.each([
    ['transaction', 'as it comes', []],
    ['session', 'as it comes', []],
    ['transaction', 'told to ignore our settings', ignoring],
    ['session', 'told to ignore our settings', ignoring],
  ] as const)('in %s mode, %s, is refused at the start', async (mode, _how, lines) => {
    await behind(mode, lines, async ({ url }) => {
      await expect(harness.startDaemon({ DATABASE_URL: url })).rejects.toThrow(refused);
    });
  });

  it.each(['transaction', 'session'] as const)(
    'in %s mode is refused where the role has our settings by itself, so that none of them is missing',
    async (mode) => {
      const { url, adminUrl } = harness.database;
      const place = `"${new URL(url).username}" IN DATABASE "${new URL(url).pathname.slice(1)}"`;
      await queryOnce(adminUrl, `ALTER ROLE ${place} SET plan_cache_mode = force_generic_plan`);
      try {
        await behind(mode, ignoring, async (bouncer) => {
          await expect(harness.startDaemon({ DATABASE_URL: bouncer.url })).rejects.toThrow(refused);
        });
      } finally {
        await queryOnce(adminUrl, `ALTER ROLE ${place} RESET plan_cache_mode`);
      }
    },
  );
});
