import type { Database, SqlStatement } from '../database.js';

/** Without the right to see others' sessions, only which user's they are can be counted on: background workers have none. */
const statement: SqlStatement = {
  name: 'inspect_connections',
  text: `
SELECT current_setting('max_connections')::int AS "allowed",
  current_setting('superuser_reserved_connections')::int
    + COALESCE(current_setting('reserved_connections', true)::int, 0) AS "reserved",
  (SELECT count(*) FROM pg_stat_activity WHERE usesysid IS NOT NULL) AS "used",
  (SELECT NULLIF(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user) AS "roleLimit",
  (SELECT NULLIF(datconnlimit, -1) FROM pg_database WHERE datname = current_database()) AS "databaseLimit"`,
};

export interface InspectedConnections {
  /** `max_connections`, of which `reserved` are not for us. */
  readonly allowed: number;
  readonly reserved: number;
  /** By all databases and users of the server. */
  readonly used: number;
  /** Null: none of its own. */
  readonly roleLimit: number | null;
  readonly databaseLimit: number | null;
}

export async function inspectConnections(database: Database): Promise<InspectedConnections> {
  const { rows } = await database.execute<InspectedConnections>(statement);
  const [row] = rows;
  if (row === undefined) throw new Error('the server did not count its connections');
  return row;
}
