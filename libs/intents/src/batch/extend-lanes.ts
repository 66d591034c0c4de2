import { laneDetoursMax } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** What a batch adds to one lane. */
export interface LaneExtension {
  readonly laneId: number;
  readonly program: string;
  readonly count: number;
  /** Position (1..count) of the last enrolment among the added intents, or null. */
  readonly issueRank: number | null;
}

export interface ExtendedLane {
  /** The seq of the first added intent. */
  readonly firstSeq: number;
  readonly firstVersion: number;
}

/** The detours of a lane are bounded: one enrolment too many keeps its place. */
const overtakes = `l.state = 'waiting' AND l.pass = 'absent' AND l.owner IS NULL AND EXCLUDED.issue_seq IS NOT NULL
    AND cardinality(l.redo) < ${laneDetoursMax}`;

/**
 * Appends `count` intents to each lane: the dense seq is assigned here, under the lane's row lock, in lane order.
 * An idle lane becomes due. An enrolment that reaches a waiting lane without a pass goes first (design.md section 5),
 * unless the lane is leased: then its owner sees `issue_seq` when it records the waiting.
 */
const statement: SqlStatement = {
  name: 'extend_lanes',
  text: `
INSERT INTO lane AS l (lane_id, program_id, tail_seq, version, issue_seq, due_at)
SELECT lane_id, program_id, added, added, issue_rank, $5::timestamptz
FROM unnest($1::bigint[], $2::text[], $3::int[], $4::int[]) AS w (lane_id, program_id, added, issue_rank)
ORDER BY lane_id
ON CONFLICT (lane_id) DO UPDATE SET
  tail_seq = l.tail_seq + EXCLUDED.tail_seq,
  version = l.version + EXCLUDED.version,
  issue_seq = COALESCE(l.tail_seq + EXCLUDED.issue_seq, l.issue_seq),
  redo = CASE WHEN ${overtakes}
    THEN array_prepend(l.tail_seq + EXCLUDED.issue_seq, l.redo) ELSE l.redo END,
  cur_seq = CASE WHEN ${overtakes}
    THEN l.tail_seq + EXCLUDED.issue_seq ELSE l.cur_seq END,
  attempt = CASE WHEN ${overtakes}
    THEN 0 ELSE l.attempt END,
  revision = CASE WHEN ${overtakes}
    THEN l.revision + 1 ELSE l.revision END,
  state = CASE WHEN ${overtakes}
    THEN 'live' ELSE l.state END,
  due_at = CASE
    WHEN ${overtakes} THEN EXCLUDED.due_at
    WHEN l.state = 'live' THEN COALESCE(l.due_at, EXCLUDED.due_at)
    ELSE l.due_at END
RETURNING lane_id, tail_seq, version`,
};

/** Extends every lane by its count in one statement; lanes that do not exist yet are created. */
export async function extendLanes(
  session: SqlSession,
  extensions: readonly LaneExtension[],
  now: number,
): Promise<Map<number, ExtendedLane>> {
  if (extensions.length === 0) return new Map();
  const { rows } = await session.query<{ lane_id: number; tail_seq: number; version: number }>(statement, [
    extensions.map((extension) => extension.laneId),
    extensions.map((extension) => extension.program),
    extensions.map((extension) => extension.count),
    extensions.map((extension) => extension.issueRank),
    timestamp(now),
  ]);
  const counts = new Map(extensions.map((extension) => [extension.laneId, extension.count]));
  return new Map(
    rows.map((row) => {
      const count = counts.get(row.lane_id) ?? 0;
      return [row.lane_id, { firstSeq: row.tail_seq - count + 1, firstVersion: row.version - count + 1 }];
    }),
  );
}
