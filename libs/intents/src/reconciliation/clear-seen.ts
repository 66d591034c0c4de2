import type { Database, SqlStatement } from '#platform';

/** Rows deleted at once. */
export const clearSeenMax = 20_000;

const nextStatement: SqlStatement = {
  name: 'next_reconciliation_to_clear',
  text: `
SELECT r.reconciliation_id AS "reconciliationId" FROM reconciliation r JOIN job j USING (job_id)
WHERE r.job_id = $1 OR j.state = 'cancelled' ORDER BY r.reconciliation_id LIMIT 1`,
};

/** From where it got to: the dead rows before need not be passed by again. */
const clearStatement: SqlStatement = {
  name: 'clear_seen',
  text: `
WITH gone AS (
  DELETE FROM reconciliation_seen s USING (
    SELECT lane_id FROM reconciliation_seen WHERE reconciliation_id = $1::int AND lane_id > $2
    ORDER BY lane_id LIMIT ${clearSeenMax}
  ) w WHERE s.reconciliation_id = $1::int AND s.lane_id = w.lane_id RETURNING s.lane_id
)
SELECT max(lane_id) AS last FROM gone`,
};

const closeStatement: SqlStatement = {
  name: 'close_reconciliation',
  text: `DELETE FROM reconciliation WHERE reconciliation_id = $1::int`,
};

/** A reconciliation whose memory is not needed any more: the job's own, or that of one that was cancelled. */
export async function findSeenToClear(database: Database, jobId: string): Promise<number | null> {
  return (
    (await database.execute<{ reconciliationId: number }>(nextStatement, [jobId])).rows[0]?.reconciliationId ?? null
  );
}

/**
 * Forgets some of what a reconciliation has seen.
 * @param afterLane how far it got; 0 to begin
 * @returns how far it got now; null: all of it is gone
 */
export async function clearSeen(
  database: Database,
  { reconciliationId, afterLane }: { readonly reconciliationId: number; readonly afterLane: number },
): Promise<number | null> {
  const { rows } = await database.execute<{ last: number | null }>(clearStatement, [reconciliationId, afterLane]);
  const last = rows[0]?.last ?? null;
  if (last === null) await database.execute(closeStatement, [reconciliationId]);
  return last;
}
