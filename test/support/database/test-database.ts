import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { requestPart } from '../infrastructure/request-part.js';
import type { TestPostgres } from '../infrastructure/part.js';
import { dropDatabase, withClient, withDatabase } from './admin.js';
import { buildTemplate } from './build-template.js';

export interface TestDatabaseOptions {
  /** `false`: an empty database. Default: one with the current schema. */
  readonly migrate?: boolean;
}

export interface TestDatabase {
  /** `postgres://...`; the user may do everything in it. */
  readonly url: string;
  /** Drops it, whoever is still connected. */
  dispose(): Promise<void>;
}

const createDatabase = (client: pg.Client, name: string, template: string): Promise<unknown> =>
  client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE ${pg.escapeIdentifier(template)}`);

/** One worker builds the template, under another name until it is complete; the others wait for the lock. */
const provideTemplate = async ({ adminUrl, databasePrefix }: TestPostgres): Promise<string> => {
  const name = `${databasePrefix}template`;
  const building = `${databasePrefix}building`;
  await withClient(adminUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return;
    await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(building)} WITH (FORCE)`);
    await createDatabase(client, building, 'template0');
    await buildTemplate(withDatabase(adminUrl, building));
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
  const source = migrate ? await (template ??= provideTemplate(server)) : 'template0';
  const name = `${server.databasePrefix}${randomBytes(6).toString('hex')}`;
  await withClient(server.adminUrl, (client) => createDatabase(client, name, source));
  return { url: withDatabase(server.adminUrl, name), dispose: () => dropDatabase(server.adminUrl, name) };
};
