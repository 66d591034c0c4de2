import type { LaneCursor } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

const lockLaneStatement: SqlStatement = {
  name: 'lock_lane',
  text: `
SELECT head_seq, tail_seq, cur_seq, redo, ahead, state, attempt_open FROM lane WHERE lane_id = $1 FOR NO KEY UPDATE`,
};

interface LaneRow {
  readonly head_seq: number;
  readonly tail_seq: number;
  readonly cur_seq: number;
  readonly redo: number[];
  readonly ahead: number[];
  readonly state: 'live' | 'waiting' | 'blocked';
  readonly attempt_open: boolean;
}

/** Where a lane stands while we hold its row. */
export interface LockedLane {
  readonly cursor: LaneCursor;
  readonly isBlocked: boolean;
  readonly attemptOpen: boolean;
}

/** Locks one lane until the transaction ends; null when there is none. */
export async function lockLane(session: SqlSession, laneId: number): Promise<LockedLane | null> {
  const row = (await session.query<LaneRow>(lockLaneStatement, [laneId])).rows[0];
  if (row === undefined) return null;
  const { head_seq: head, tail_seq: tail, cur_seq: current, redo, ahead } = row;
  return {
    cursor: { head, tail, current, redo, ahead },
    isBlocked: row.state === 'blocked',
    attemptOpen: row.attempt_open,
  };
}

const lockLanesStatement: SqlStatement = {
  name: 'lock_lanes',
  text: 'SELECT lane_id, version FROM lane WHERE lane_id = ANY ($1::bigint[]) ORDER BY lane_id FOR NO KEY UPDATE',
};

/** Locks lanes in lane order, before something is decided on what they show. @returns their versions */
export async function lockLanes(session: SqlSession, laneIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const { rows } = await session.query<{ lane_id: number; version: number }>(lockLanesStatement, [laneIds]);
  return new Map(rows.map(({ lane_id: laneId, version }) => [laneId, version]));
}
