import type { EventPosition } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

const statement: SqlStatement = {
  name: 'move_profiles',
  text: `
UPDATE member m SET profile_sequence = w.sequence, profile_at = w.at
FROM unnest($1::bigint[], $2::text[], $3::timestamptz[]) AS w (lane_id, sequence, at)
WHERE m.lane_id = w.lane_id`,
};

/** Remembers each member's last accepted update. Whoever moves a member's holds its lane's lock: none waits here. */
export async function moveProfiles(
  session: SqlSession,
  moves: readonly { readonly laneId: number; readonly position: EventPosition }[],
): Promise<void> {
  if (moves.length === 0) return;
  await session.query(statement, [
    moves.map(({ laneId }) => laneId),
    moves.map(({ position }) => position.sequence),
    moves.map(({ position }) => timestamp(position.timeMs)),
  ]);
}
