import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'delete_dead_letters',
  text: 'DELETE FROM dead_letter_outbox WHERE quarantine_id = ANY ($1::bigint[])',
};

/** The broker has them: nothing is left to publish. The quarantine rows stay. */
export async function deleteDeadLetters(session: SqlSession, quarantineIds: readonly number[]): Promise<void> {
  await session.query(statement, [quarantineIds]);
}
