import type { IdentityPlace } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { int4Array, int8Array } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { openSourceEvent, unlessBroken } from '../keys/member-keys.js';
import { placeKey } from '../lanes/claimed-lane.js';

const loadStatement: SqlStatement = {
  name: 'load_recorded_events',
  isRead: true,
  text: `
SELECT i.lane_id AS "laneId", i.seq, m.program_id AS program, m.member_id AS "memberId", i.payload, k.wrapped_key AS "wrappedKey"
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id) JOIN member_key k USING (lane_id)
WHERE i.seq > m.erased_seq`,
};

interface EventRow extends IdentityPlace {
  readonly program: string;
  readonly memberId: string;
  readonly payload: Buffer;
  readonly wrappedKey: Buffer;
}

/** An intent, and the event that it is of. */
export interface RecordedEvent {
  readonly program: string;
  readonly memberId: string;
  readonly seq: number;
  /** As its record came, or as a map has made it; personal. */
  readonly text: string;
}

/** By `placeKey`; none of an intent that has left, is erased, or that no key opens any more. */
export async function loadRecordedEvents(
  session: SqlSession,
  places: readonly IdentityPlace[],
  keys: MemberKeys,
): Promise<ReadonlyMap<string, RecordedEvent>> {
  if (places.length === 0) return new Map();
  const parameters = [int8Array(places.map(({ laneId }) => laneId)), int4Array(places.map(({ seq }) => seq))];
  const { rows } = await session.query<EventRow>(loadStatement, parameters);
  const events = rows.flatMap(({ laneId, seq, program, memberId, payload, wrappedKey }) => {
    const opened = unlessBroken(() =>
      openSourceEvent(keys, { laneId, seq, key: keys.learn(laneId, wrappedKey) }, payload),
    );
    const event = opened === null ? null : { program, memberId, seq, text: opened.value };
    return event === null ? [] : [[placeKey(laneId, seq), event] as const];
  });
  return new Map(events);
}
