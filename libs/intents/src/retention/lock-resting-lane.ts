import { isDeepStrictEqual } from 'node:util';

import type { RebuiltLane } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

/** A lane that somebody holds is left alone, and never waited for. */
const statement: SqlStatement = {
  name: 'lock_resting_lane',
  text: `
SELECT version, head_seq, tail_seq, cur_seq, redo, ahead, issue_seq, pass, state FROM lane
WHERE lane_id = $1 AND owner IS NULL AND NOT attempt_open FOR NO KEY UPDATE SKIP LOCKED`,
};

interface LaneRow {
  readonly version: number;
  readonly head_seq: number;
  readonly tail_seq: number;
  readonly cur_seq: number;
  readonly redo: readonly number[];
  readonly ahead: readonly number[];
  readonly issue_seq: number | null;
  readonly pass: string;
  readonly state: string;
}

/** The row of a lane that stays as it is until the transaction ends; null while somebody is at it. */
export async function lockRestingLane(session: SqlSession, laneId: number): Promise<LaneRow | null> {
  return (await session.query<LaneRow>(statement, [laneId])).rows[0] ?? null;
}

/**
 * How a lane's row stands to what its truth says, but for its lease and the counters that only fence. `differs`: they
 * contradict each other. `under-way`: what is left to send is told in other numbers, for truth does not tell when a lease
 * began or what was stepped over; that passes with the lane's next rest.
 */
export function compareWithFold(row: LaneRow, folded: RebuiltLane): 'same' | 'under-way' | 'differs' {
  const { version, cursor, issueSeq, pass, state } = folded;
  const hard = [row.version, row.tail_seq, row.issue_seq, row.pass, row.state];
  if (!isDeepStrictEqual(hard, [version, cursor.tail, issueSeq, pass, state])) return 'differs';
  const { head_seq: head, tail_seq: tail, cur_seq: current, redo, ahead } = row;
  return isDeepStrictEqual(cursor, { head, tail, current, redo, ahead }) ? 'same' : 'under-way';
}
