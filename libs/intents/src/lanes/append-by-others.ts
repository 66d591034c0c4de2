import type { SqlSession, SqlStatement } from '#platform';

import { attemptOf, clearData, timestamp } from '../events/stored-event.js';
import type { EventToAppend } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';

const statement: SqlStatement = {
  name: 'append_by_others',
  text: `
WITH bumped AS (
  UPDATE lane SET version = version + 1, revision = revision + 1,
    state = CASE WHEN $8::boolean AND cur_seq = $2 THEN 'live' ELSE state END,
    due_at = CASE WHEN $8::boolean AND cur_seq = $2 AND owner IS NULL THEN $5::timestamptz ELSE due_at END
  WHERE lane_id = $1
  RETURNING version, epoch
)
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
SELECT $1, $2, version, $3, COALESCE($9::int, epoch), $4, $5::timestamptz, $6::jsonb, $7 FROM bumped`,
};

/** An event by anyone but the lane's lease owner. */
export interface EventByOthers extends EventToAppend {
  readonly laneId: number;
  /** The lane becomes due when it stands at this intent: its next claim sees what has changed. */
  readonly settles: boolean;
  /** Whose epoch the event belongs to; absent: the lane's present one. */
  readonly epoch?: number;
  /** The member's unwrapped key, where the caller holds it; null: evidence cannot be kept. */
  readonly key?: Uint8Array | null;
}

function sealed({ laneId, seq, key, evidence }: EventByOthers, keys: MemberKeys): Buffer | null {
  if (evidence === null || key === null) return null;
  return keys.sealFor(key === undefined ? { laneId, seq } : { laneId, seq, key }, evidence);
}

/**
 * Appends an event to a lane by anyone but its lease owner. The revision rises, so that the owner's next begin is
 * refused until it has read the event. An event that settles the current intent makes the lane due: its next claim
 * sees the settled intent and steps over it.
 */
export async function appendByOthers(session: SqlSession, request: EventByOthers, keys: MemberKeys): Promise<void> {
  const { laneId, seq, event, settles } = request;
  await session.query(statement, [
    laneId,
    seq,
    attemptOf(event),
    event.type,
    timestamp(event.at),
    clearData(event),
    sealed(request, keys),
    settles,
    request.epoch ?? null,
  ]);
}
