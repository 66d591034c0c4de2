import { randomBytes } from 'node:crypto';
import { startEmbeddedPostgres } from '#embedded';
import { createPlainUser, dropDatabases, dropUser, isSuperuser, serverVersion } from '../database/admin.js';
import { inContainer } from './container-engine.js';
import type { Started, TestPostgres } from './part.js';

interface Server {
  readonly adminUrl: string;
  readonly origin: string;
  stop(): Promise<void>;
}

const containerImage = 'postgres:18-alpine';
const maxConnections = 300;
const ownerName = (databasePrefix: string): string => `${databasePrefix}owner`;
const runName = (databasePrefix: string): string => `${databasePrefix}run`;

const fromContainer = async (): Promise<Server> => {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const settings = ['fsync=off', 'synchronous_commit=off', `max_connections=${maxConnections}`];
  const command = ['postgres', ...settings.flatMap((setting) => ['-c', setting])];
  const container = await new PostgreSqlContainer(containerImage).withCommand(command).start();
  return {
    adminUrl: container.getConnectionUri(),
    origin: `container ${containerImage}`,
    stop: async () => {
      await container.stop();
    },
  };
};

const embedded = async (): Promise<Server> => {
  const { adminUrl, stop } = await startEmbeddedPostgres({ database: 'postgres', durable: false, maxConnections });
  return { adminUrl, origin: 'embedded', stop };
};

const given = (adminUrl: string, databasePrefix: string): Server => ({
  adminUrl,
  origin: 'DATABASE_URL',
  stop: async () => {
    await dropDatabases(adminUrl, databasePrefix);
    await dropUser(adminUrl, ownerName(databasePrefix));
    await dropUser(adminUrl, runName(databasePrefix));
  },
});

const pickServer = async (databasePrefix: string): Promise<Server> => {
  const url = process.env['DATABASE_URL'];
  if (url !== undefined && url !== '') return given(url, databasePrefix);
  return (await inContainer(containerImage, fromContainer)) ?? embedded();
};

/**
 * The Postgres server for a test run: `DATABASE_URL` (its user must be allowed to create databases; a
 * superuser creates two plain users: to one they belong, the other is what a daemon is), else a container
 * where a Docker engine gives one, else the embedded one.
 */
export const pickPostgres = async (): Promise<Started<TestPostgres>> => {
  const databasePrefix = `loyaltyd_test_${randomBytes(4).toString('hex')}_`;
  const server = await pickServer(databasePrefix);
  const { adminUrl, origin } = server;
  const mayCreate = await isSuperuser(adminUrl);
  const ownerUrl = mayCreate ? await createPlainUser(adminUrl, ownerName(databasePrefix)) : adminUrl;
  const runUrl = mayCreate ? await createPlainUser(adminUrl, runName(databasePrefix)) : adminUrl;
  return {
    part: { adminUrl, ownerUrl, runUrl, version: await serverVersion(adminUrl), origin, databasePrefix },
    stop: server.stop,
  };
};
