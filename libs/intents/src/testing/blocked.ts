import type { SqlSession } from '#platform';

import type { TestStore } from './test-store.js';

/** Resolves when `count` statements in this database wait for a lock that another transaction holds. */
export async function untilBlocked(store: TestStore, count = 1): Promise<void> {
  // eslint-disable-next-line no-restricted-syntax -- a look at the server's own locks, paced by the server
  const text = `SELECT pg_sleep(0.002)::text, pg_stat_clear_snapshot()::text, count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  for (let rounds = 0; rounds < 5_000; rounds += 1) {
    const [row] = await store.sql<{ count: number }>(text);
    if ((row?.count ?? 0) >= count) return;
  }
  throw new Error('nothing waits for a lock');
}

/**
 * Runs `first` in a transaction and keeps it open until `second`, started meanwhile, waits for its locks; then commits.
 * @returns what `second` came to
 */
export async function whileLocked<T>(
  store: TestStore,
  first: (session: SqlSession) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  const locked = Promise.withResolvers<undefined>();
  const release = Promise.withResolvers<undefined>();
  const holder = store.database.transaction('holder', async (session) => {
    await first(session);
    locked.resolve(undefined);
    await release.promise;
  });
  await Promise.race([locked.promise, holder]);
  const blocked = second();
  await Promise.race([untilBlocked(store), blocked]);
  release.resolve(undefined);
  await holder;
  return blocked;
}
