import type { SqlSession, SqlStatement } from '#platform';

import type { OperatorWord } from '../operator/record-action.js';
import { recordAction } from '../operator/record-action.js';

/** What an erasure on somebody's word did to a member's lane: kept in the audit. */
export interface ErasureTrace {
  /** Nothing was left to erase. */
  readonly alreadyErased: boolean;
  /** Intents that the destroyed key closes. */
  readonly intents: number;
  readonly cancelled: number;
  /** They may have taken effect, and nobody will find out. */
  readonly parkedAsErased: number;
  /** They were waited for too long: they end as they end. */
  readonly leftUnderWay: number;
  /** The member has left, and the partner was not told. */
  readonly optOutsUntold: number;
}

export const erasureAction = 'member.erase';

export interface ErasureOfLane {
  readonly jobId: string;
  readonly laneId: number;
}

const statement: SqlStatement = {
  name: 'find_erasure_trace',
  text: `
SELECT detail FROM operator_action
WHERE lane_id = $1 AND seq = 0 AND action = '${erasureAction}' AND detail->>'job' = $2`,
};

/** What this erasure has done already; null before it was done. */
export async function findErasureTrace(
  session: SqlSession,
  { jobId, laneId }: ErasureOfLane,
): Promise<ErasureTrace | null> {
  const { rows } = await session.query<{ detail: ErasureTrace & { job: string } }>(statement, [laneId, jobId]);
  if (rows[0] === undefined) return null;
  const { job: _job, ...trace } = rows[0].detail;
  return trace;
}

/** In the transaction that erases. */
export async function leaveErasureTrace(
  session: SqlSession,
  { jobId, laneId }: ErasureOfLane,
  { word, trace }: { readonly word: OperatorWord; readonly trace: ErasureTrace },
): Promise<void> {
  const detail = { job: jobId, ...trace };
  await recordAction(session, { word, action: erasureAction, place: { laneId, seq: 0 }, detail });
}
