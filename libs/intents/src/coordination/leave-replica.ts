import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = { name: 'leave_replica', text: 'DELETE FROM replica WHERE replica_id = $1::uuid' };

/** Says goodbye: the others need not wait until this replica is taken for gone. */
export async function leaveReplica(database: Database, replicaId: string): Promise<void> {
  await database.execute(statement, [replicaId]);
}
