import type { Database, SqlStatement } from '../database.js';

const replicationSlotsMax = 50;

const statement: SqlStatement = {
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
  return (await database.execute<ReplicationSlot>(statement)).rows;
}
