import { access, statfs } from 'node:fs/promises';
import { join } from 'node:path';

import type { Database, SqlStatement } from './database.js';

const serverStatement: SqlStatement = {
  name: 'inspect_server',
  text: `
SELECT current_setting('server_version_num')::int AS "versionNumber", current_setting('server_version') AS version,
  pg_is_in_recovery() AS "isStandby", current_setting('default_transaction_read_only')::boolean AS "isReadOnly"`,
};

export interface InspectedServer {
  /** Such as 180004. */
  readonly versionNumber: number;
  /** Such as `18.4`. */
  readonly version: string;
  readonly isStandby: boolean;
  /** Transactions may only read, by a setting of the server, the database or the role. */
  readonly isReadOnly: boolean;
}

export async function inspectServer(database: Database): Promise<InspectedServer> {
  const { rows } = await database.execute<InspectedServer>(serverStatement);
  const [row] = rows;
  if (row === undefined) throw new Error('the server did not say what it is');
  return row;
}

const settingsStatement: SqlStatement = {
  name: 'inspect_settings',
  text: `SELECT name, setting FROM pg_settings WHERE name = ANY ($1::text[])`,
};

/** Settings of the server as our connections have them, by name, in the units of `pg_settings`. */
export async function inspectSettings(
  database: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await database.execute<{ name: string; setting: string }>(settingsStatement, [names]);
  return new Map(rows.map(({ name, setting }) => [name, setting]));
}

/** Without the right to see others' sessions, only which user's they are can be counted on: background workers have none. */
const connectionsStatement: SqlStatement = {
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
  const { rows } = await database.execute<InspectedConnections>(connectionsStatement);
  const [row] = rows;
  if (row === undefined) throw new Error('the server did not count its connections');
  return row;
}

const sizeStatement: SqlStatement = {
  name: 'inspect_size',
  text: `
SELECT pg_database_size(current_database())::float8 AS "databaseBytes",
  (SELECT setting FROM pg_settings WHERE name = 'data_directory') AS "dataFolder",
  (SELECT max(age(datfrozenxid)) FROM pg_database) AS "oldestTransactionAge"`,
};

export interface InspectedSize {
  readonly databaseBytes: number;
  /** Null where our user may not know it. */
  readonly dataFolder: string | null;
  /** Transactions since the oldest one that is not frozen; at two billion Postgres refuses to go on. */
  readonly oldestTransactionAge: number;
}

export async function inspectSize(database: Database): Promise<InspectedSize> {
  const { rows } = await database.execute<InspectedSize>(sizeStatement);
  const [row] = rows;
  if (row === undefined) throw new Error('the server did not tell its size');
  return row;
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]', '']);

/** What is free where the server keeps its data. */
export interface FreeSpace {
  readonly freeBytes: number;
  readonly allBytes: number;
}

/**
 * Postgres does not report what is left on its disk. Where the server seems to run on this machine, its data folder is
 * looked for; null where it is not there or not ours to see.
 */
export async function freeSpace(
  host: string,
  { dataFolder }: Pick<InspectedSize, 'dataFolder'>,
): Promise<FreeSpace | null> {
  if (!loopbackHosts.has(host) || dataFolder === null) return null;
  try {
    // A forwarded port leads to another machine, on which a folder of that name means nothing.
    await access(join(dataFolder, 'PG_VERSION'));
    const { bavail, blocks, bsize } = await statfs(dataFolder);
    return { freeBytes: bavail * bsize, allBytes: blocks * bsize };
  } catch {
    return null;
  }
}

const longTransactionsMax = 5;

/** Only these hold back our rows: transactions of this database, open or prepared, and senders of a standby's feedback. */
const longTransactionsStatement: SqlStatement = {
  name: 'list_long_transactions',
  text: `
SELECT name, application, state, "openForMs" FROM (
  SELECT 'pid ' || pid AS name, COALESCE(application_name, '') AS application, COALESCE(state, 'unknown') AS state,
    (extract(epoch FROM clock_timestamp() - xact_start) * 1000)::float8 AS "openForMs"
  FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND (datname = current_database() OR backend_type = 'walsender')
    AND backend_type IS DISTINCT FROM 'autovacuum worker' AND xact_start IS NOT NULL
  UNION ALL
  SELECT 'prepared transaction ' || gid, '', 'prepared',
    (extract(epoch FROM clock_timestamp() - prepared) * 1000)::float8
  FROM pg_prepared_xacts WHERE database = current_database()) t
WHERE "openForMs" >= $1::float8
ORDER BY "openForMs" DESC LIMIT ${longTransactionsMax}`,
};

/** A transaction that keeps dead rows from being cleaned up. */
export interface LongTransaction {
  /** `pid 4711`, or `prepared transaction GID`. */
  readonly name: string;
  /** What the client calls itself. */
  readonly application: string;
  readonly state: string;
  readonly openForMs: number;
}

/** The longest open ones first. Those of other users are seen with the rights of `pg_read_all_stats` only. */
export async function listLongTransactions(
  database: Database,
  openForMsMin: number,
): Promise<readonly LongTransaction[]> {
  return (await database.execute<LongTransaction>(longTransactionsStatement, [openForMsMin])).rows;
}

const replicationSlotsMax = 50;

const replicationSlotsStatement: SqlStatement = {
  name: 'list_replication_slots',
  text: `
SELECT slot_name AS name, active AS "isActive", wal_status AS "walStatus",
  xmin IS NOT NULL OR catalog_xmin IS NOT NULL AS "holdsRows",
  CASE WHEN NOT pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 END AS "heldBytes"
FROM pg_replication_slots ORDER BY 5 DESC NULLS LAST LIMIT ${replicationSlotsMax}`,
};

/** Keeps WAL for a reader that may never come back. */
export interface ReplicationSlot {
  readonly name: string;
  readonly isActive: boolean;
  /** `reserved`, `extended`, `unreserved`, `lost`; null before it holds any. */
  readonly walStatus: string | null;
  /** It keeps dead rows from being cleaned up, too. */
  readonly holdsRows: boolean;
  readonly heldBytes: number | null;
}

/** Those that hold the most first. */
export async function listReplicationSlots(database: Database): Promise<readonly ReplicationSlot[]> {
  return (await database.execute<ReplicationSlot>(replicationSlotsStatement)).rows;
}
