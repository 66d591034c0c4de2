import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { replicaTtlMs } from './report-replica.js';

const statement: SqlStatement = {
  name: 'list_replicas',
  text: `
SELECT replica_id AS "replicaId", heartbeat_at AS "heartbeatAt", heartbeat_at > $1::timestamptz AS "isAlive"
FROM replica ORDER BY started_at`,
};

/** A delivering process as it last reported to the others. */
export interface ListedReplica {
  readonly replicaId: string;
  readonly heartbeatAt: number;
  /** The others count on it. */
  readonly isAlive: boolean;
}

/** The oldest first. Those that went without a word are among them for a minute. */
export async function listReplicas(database: Database, now: number): Promise<readonly ListedReplica[]> {
  return (await database.execute<ListedReplica>(statement, [timestamp(now - replicaTtlMs)])).rows;
}
