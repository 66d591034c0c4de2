import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Runs `work` on one connection of its own. */
export const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  // A server that is killed under the work says so by the work's own error.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Runs one query on a connection of its own. */
export const queryOnce = <Row extends object>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> => withClient(url, async (client) => (await client.query<Row>(text, [...values])).rows);

/** Such as `18.4`, without the packager's remark. */
export const serverVersion = (url: string): Promise<string> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version.split(' ')[0] ?? 'unknown';
  });

/** The same server, another database. */
export const withDatabase = (url: string, database: string): string => {
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(database)}`;
  return other.href;
};

/** The user whom a URL names. */
export const userOf = (url: string): string => decodeURIComponent(new URL(url).username);

/** Whether the user of a URL may do everything on the server. */
export const isSuperuser = (url: string): Promise<boolean> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ yes: boolean }>(
      'SELECT rolsuper AS yes FROM pg_roles WHERE rolname = current_user',
    );
    return rows[0]?.yes === true;
  });

/** Creates a user who may log in and nothing else. @returns the same server, as that user */
export const createPlainUser = async (adminUrl: string, name: string): Promise<string> => {
  const password = randomBytes(12).toString('hex');
  await withClient(adminUrl, (client) =>
    client.query(`CREATE ROLE ${pg.escapeIdentifier(name)} LOGIN PASSWORD ${pg.escapeLiteral(password)}`),
  );
  const url = new URL(adminUrl);
  url.username = encodeURIComponent(name);
  url.password = password;
  return url.href;
};

/** Drops a user who owns nothing. It need not exist. */
export const dropUser = (adminUrl: string, name: string): Promise<void> =>
  withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [name]);
    if (rowCount !== 0) await client.query(`DROP ROLE ${pg.escapeIdentifier(name)}`);
  });

/** Drops one database and disconnects whoever uses it. It need not exist. */
export const dropDatabase = (adminUrl: string, database: string): Promise<void> =>
  withClient(adminUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(database)} WITH (FORCE)`);
  });

/** Drops every database whose name starts with `prefix`. */
export const dropDatabases = (adminUrl: string, prefix: string): Promise<void> =>
  withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    );
    for (const { name } of rows) await client.query(`DROP DATABASE ${pg.escapeIdentifier(name)} WITH (FORCE)`);
  });
