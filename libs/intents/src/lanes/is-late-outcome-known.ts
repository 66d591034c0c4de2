import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'is_late_outcome_known',
  text: `
SELECT 1 FROM intent_event
WHERE lane_id = $1 AND seq = $2 AND attempt = $3 AND epoch = $4 AND type = 'LateOutcome' LIMIT 1`,
};

/** Whether this late outcome has been told before. The lane must be locked. */
export async function isLateOutcomeKnown(
  session: SqlSession,
  late: { readonly laneId: number; readonly seq: number; readonly epoch: number; readonly attempt: number },
): Promise<boolean> {
  const { laneId, seq, epoch, attempt } = late;
  return (await session.query(statement, [laneId, seq, attempt, epoch])).rowCount > 0;
}
