import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'open_reconciliation',
  text: `
INSERT INTO reconciliation (job_id) VALUES ($1) ON CONFLICT (job_id) DO UPDATE SET job_id = EXCLUDED.job_id
RETURNING reconciliation_id AS "reconciliationId"`,
};

/** Gives a reconciliation the number under which it remembers what it has seen; the same for the same job. */
export async function openReconciliation(session: SqlSession, jobId: string): Promise<number> {
  const [row] = (await session.query<{ reconciliationId: number }>(statement, [jobId])).rows;
  if (row === undefined) throw new Error('a reconciliation without a number');
  return row.reconciliationId;
}
