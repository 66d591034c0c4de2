import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'leave_process',
  text: 'DELETE FROM daemon_process WHERE process_id = $1::uuid',
};

/** Says goodbye: nobody need wonder where this process went. */
export async function leaveProcess(database: Database, processId: string): Promise<void> {
  await database.execute(statement, [processId]);
}
