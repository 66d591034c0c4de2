import type { SqlSession, SqlStatement } from '#platform';

import type { LateOutcome } from './record-late-outcomes.js';

const statement: SqlStatement = {
  name: 'is_late_outcome_known',
  text: `
SELECT 1 FROM intent_event
WHERE lane_id = $1 AND seq = $2 AND attempt = $3 AND epoch = $4 AND type = 'LateOutcome' LIMIT 1`,
};

/** Whether this late outcome has been told before. The lane must be locked. */
export async function isLateOutcomeKnown(session: SqlSession, late: LateOutcome): Promise<boolean> {
  const { laneId, seq, epoch, event } = late;
  return (await session.query(statement, [laneId, seq, event.attempt, epoch])).rowCount > 0;
}
