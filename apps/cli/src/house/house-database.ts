import { adoptEnvironment } from '#intents';
import type { PartnerIdentity } from '#intents';
import { migrations } from '#migrations';
import type { Database } from '#platform';
import { createDataSource, runMigrations, TypeormDatabase } from '#platform';

export interface HouseDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

/** Two: one for a read that takes long, one for the next. */
const poolSizeMax = 2;

/**
 * Connects to the house's own database and makes it fit this run: the current schema, and the sandbox where it listens
 * today. A house may do so by itself, because nothing in it is real.
 */
export async function openHouseDatabase(url: string): Promise<HouseDatabase> {
  const dataSource = createDataSource({
    url,
    poolSize: poolSizeMax,
    ssl: false,
    applicationName: 'loyaltyd-house',
    migrations,
    onPoolError: () => undefined,
  });
  await dataSource.initialize();
  await runMigrations(dataSource);
  return { database: new TypeormDatabase(dataSource), close: () => dataSource.destroy() };
}

/** The sandbox may listen elsewhere than in the last run on this data. */
export async function adoptSandbox({ database }: HouseDatabase, sandbox: PartnerIdentity): Promise<void> {
  await adoptEnvironment(database, sandbox);
}
