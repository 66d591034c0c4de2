import { randomBytes } from 'node:crypto';

import pg from 'pg';

import { migrations } from '#migrations';
import { createDataSource, PostgresConnection } from '#platform';

import type { TestPostgres } from '../infrastructure/part.js';
import { requestPart } from '../infrastructure/request-part.js';
import { dropDatabase, userOf, withClient, withDatabase } from './admin.js';

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

/** Gives `role` what a daemon needs. */
const grantRun = async (ownerUrl: string, role: string): Promise<void> => {
  if (role === userOf(ownerUrl)) return;
  const { grantApplication } = await import('#intents');
  const connection = new PostgresConnection({
    url: ownerUrl,
    poolSize: 1,
    ssl: false,
    applicationName: 'loyaltyd-test-template',
    migrations: [],
    onPoolError: () => undefined,
  });
  await connection.connect();
  try {
    await grantApplication(connection.database, role);
  } finally {
    await connection.close();
  }
};

export interface TestDatabaseOptions {
  /** `false`: an empty database. Default: one with the current schema. */
  readonly migrate?: boolean;
}

export interface TestDatabase {
  /**
   * `postgres://...`; a user who owns nothing and may do what a daemon does. What is tested uses this one. In
   * an empty database it is the owner.
   */
  readonly url: string;
  /** The same database by a user who owns it and may nothing else, as with a managed Postgres: for migrations and fixtures. */
  readonly ownerUrl: string;
  /** The same database by whoever runs the server: for the harness alone. */
  readonly adminUrl: string;
  /** Drops it, whoever is still connected. */
  dispose(): Promise<void>;
}

/** Databases that this run creates belong to `owner`. */
const createDatabase = (
  client: pg.Client,
  { name, template, owner }: { readonly name: string; readonly template: string; readonly owner: string },
): Promise<unknown> =>
  client.query(
    `CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE ${pg.escapeIdentifier(template)} OWNER ${pg.escapeIdentifier(owner)}`,
  );

/** One worker builds the template, under another name until it is complete; the others wait for the lock. */
const provideTemplate = async ({ adminUrl, ownerUrl, runUrl, databasePrefix }: TestPostgres): Promise<string> => {
  const name = `${databasePrefix}template`;
  const building = `${databasePrefix}building`;
  const owner = userOf(ownerUrl);
  await withClient(adminUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return;
    await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(building)} WITH (FORCE)`);
    await createDatabase(client, { name: building, template: 'template0', owner });
    await buildTemplate(withDatabase(ownerUrl, building));
    await grantRun(withDatabase(ownerUrl, building), userOf(runUrl));
    await client.query(`ALTER DATABASE ${pg.escapeIdentifier(building)} RENAME TO ${pg.escapeIdentifier(name)}`);
  });
  return name;
};

let template: Promise<string> | undefined;

/**
 * A fresh database on the run's Postgres, cloned from a template that all migrations have run on once: one per test
 * file (or per test). Starts Postgres if nobody did. Dispose of it in `afterAll`, after closing what is connected.
 */
export const testDatabase = async ({ migrate = true }: TestDatabaseOptions = {}): Promise<TestDatabase> => {
  const server = await requestPart('postgres');
  const from = migrate ? await (template ??= provideTemplate(server)) : 'template0';
  const name = `${server.databasePrefix}${randomBytes(6).toString('hex')}`;
  const owner = userOf(server.ownerUrl);
  await withClient(server.adminUrl, (client) => createDatabase(client, { name, template: from, owner }));
  return {
    url: withDatabase(migrate ? server.runUrl : server.ownerUrl, name),
    ownerUrl: withDatabase(server.ownerUrl, name),
    adminUrl: withDatabase(server.adminUrl, name),
    dispose: () => dropDatabase(server.adminUrl, name),
  };
};
