import type { Database, SqlStatement } from '#platform';

import type { Forecast, ReplayItemState } from './replay.js';

const statement: SqlStatement = {
  name: 'list_replay_items',
  text: `
SELECT r.ordinal, r.lane_id AS "laneId", m.program_id AS program, m.member_id AS "memberId", r.seq, r.forecast, r.overtaken, r.state,
  CASE WHEN r.state = 'sent' AND l.state = 'blocked' THEN 'lane-blocked' ELSE r.detail END AS detail, r.sent_at AS "sentAt"
FROM replay_item r JOIN member m USING (lane_id) JOIN lane l USING (lane_id)
WHERE r.replay_id = $1 AND r.ordinal > $2::int AND ($3::text IS NULL OR r.state = $3)
ORDER BY r.ordinal LIMIT $4::int`,
};

export interface ReplayItem {
  readonly laneId: number;
  readonly ordinal: number;
  readonly program: string;
  readonly memberId: string;
  readonly seq: number;
  readonly forecast: Forecast;
  /** Later intents of its member that had been settled when the selection was frozen. */
  readonly overtaken: number;
  readonly state: ReplayItemState;
  /** Why it was refused, or parked again, or stands still though it was sent. */
  readonly detail: string | null;
  readonly sentAt: number | null;
}

/** A replay's items in their order, after the given one (0 to begin). */
export async function listReplayItems(
  database: Database,
  query: { readonly replayId: string; readonly after: number; readonly state: string | null; readonly limit: number },
): Promise<ReplayItem[]> {
  const { replayId, after, state, limit } = query;
  return (await database.execute<ReplayItem>(statement, [replayId, after, state, limit])).rows;
}
