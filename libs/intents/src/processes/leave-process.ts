import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = { name: 'leave_process', text: 'DELETE FROM process WHERE process_id = $1::uuid' };

/** Says goodbye: nobody need take the process for there until it counts as gone. */
export async function leaveProcess(database: Database, processId: string): Promise<void> {
  await database.execute(statement, [processId]);
}
