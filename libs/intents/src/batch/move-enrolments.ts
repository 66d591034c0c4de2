import type { SqlSession, SqlStatement } from '#platform';

import type { LastEnrolment } from './find-members.js';

const statement: SqlStatement = {
  name: 'move_enrolments',
  text: `
UPDATE member m SET enrolment_key = w.key, enrolment_mac = w.mac
FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS w (lane_id, key, mac)
WHERE m.lane_id = w.lane_id`,
};

export interface EnrolmentMove {
  readonly laneId: number;
  readonly enrolment: LastEnrolment;
}

/** Remembers what members say now who enrolled again. Their lanes are locked: none waits here. */
export async function moveEnrolments(session: SqlSession, moves: readonly EnrolmentMove[]): Promise<void> {
  if (moves.length === 0) return;
  await session.query(statement, [
    moves.map(({ laneId }) => laneId),
    moves.map(({ enrolment }) => enrolment.key),
    moves.map(({ enrolment }) => enrolment.contentMac),
  ]);
}
