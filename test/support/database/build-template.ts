import { createDataSource } from '#platform';
import { migrations } from '#migrations';

/** Brings an empty database to the state that every test database is cloned from: the schema, by all migrations. */
export const buildTemplate = async (url: string): Promise<void> => {
  const source = createDataSource({
    url,
    poolSize: 1,
    ssl: false,
    applicationName: 'loyaltyd-test-template',
    migrations,
    onPoolError: () => undefined,
  });
  await source.initialize();
  try {
    await source.runMigrations();
  } finally {
    await source.destroy();
  }
};
