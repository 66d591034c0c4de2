import type { RebuiltLane } from '#domain';
import { isDrained } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

const statement: SqlStatement = {
  name: 'insert_rebuilt_lanes',
  text: `
INSERT INTO lane (lane_id, program_id, due_at, epoch, revision, version, head_seq, tail_seq, cur_seq, attempt,
  attempt_open, open_since, redo, ahead, issue_seq, pass, state)
SELECT lane_id, program_id, due_at, epoch, version, version, head_seq, tail_seq, cur_seq, attempt, open_since IS NOT NULL,
  open_since, redo::int[], ahead::int[], issue_seq, pass, state
FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[],
  $9::int[], $10::timestamptz[], $11::text[], $12::text[], $13::int[], $14::text[], $15::text[])
  AS w (lane_id, program_id, due_at, epoch, version, head_seq, tail_seq, cur_seq, attempt, open_since, redo, ahead,
    issue_seq, pass, state)`,
};

export interface LaneToInsert {
  readonly laneId: number;
  readonly program: string;
  readonly rebuilt: RebuiltLane;
}

/** Writes rebuilt lanes; a member of whom nothing was recorded has none. The revision only has to differ from 0. */
export async function insertLanes(session: SqlSession, lanes: readonly LaneToInsert[], now: number): Promise<void> {
  const known = lanes.filter(({ rebuilt }) => rebuilt.version > 0);
  if (known.length === 0) return;
  const column = <T>(of: (lane: RebuiltLane) => T): T[] => known.map(({ rebuilt }) => of(rebuilt));
  await session.query(statement, [
    known.map(({ laneId }) => laneId),
    known.map(({ program }) => program),
    column((lane) => (lane.state === 'blocked' || isDrained(lane.cursor) ? null : timestamp(now))),
    column((lane) => lane.epoch + 1),
    column((lane) => lane.version),
    column((lane) => lane.cursor.head),
    column((lane) => lane.cursor.tail),
    column((lane) => lane.cursor.current),
    column((lane) => lane.attempt),
    column((lane) => (lane.openSince === null ? null : timestamp(lane.openSince))),
    column((lane) => `{${lane.cursor.redo.join(',')}}`),
    column((lane) => `{${lane.cursor.ahead.join(',')}}`),
    column((lane) => lane.issueSeq),
    column((lane) => lane.pass),
    column((lane) => lane.state),
  ]);
}
