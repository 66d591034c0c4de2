import type { IdentityPlace, KnownIdentity } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { businessDigest } from './identities.js';
import type { PlacedIntent } from './insert-intents.js';
import type { Member } from './members.js';
import { memberKey } from './members.js';
import type { IntentToPlace } from './plan-batch.js';

const lockStatement: SqlStatement = {
  name: 'lock_lanes',
  text: 'SELECT lane_id FROM lane WHERE lane_id = ANY ($1::bigint[]) ORDER BY lane_id FOR NO KEY UPDATE',
};

/** Locks lanes in lane order, before something is decided on what they show. */
export async function lockLanes(session: SqlSession, laneIds: readonly number[]): Promise<void> {
  await session.query(lockStatement, [laneIds]);
}

/** What a batch adds to one lane. */
interface LaneExtension {
  readonly laneId: number;
  readonly program: string;
  readonly count: number;
  /** Position (1..count) of the last enrolment among the added intents, or null. */
  readonly issueRank: number | null;
}

interface ExtendedLane {
  /** The seq of the first added intent. */
  readonly firstSeq: number;
  readonly firstVersion: number;
}

/** Whether the last added enrolment goes first; NULL where none was added. */
const overtakes = `l.state = 'waiting' AND l.pass = 'absent' AND l.owner IS NULL
    AND lane_overtakes(l.tail_seq + EXCLUDED.issue_seq, l.cur_seq, l.head_seq, l.redo, l.ahead)`;

/**
 * Appends `count` intents to each lane: the dense seq is assigned here, under the lane's row lock, in lane order.
 * An idle lane becomes due. An enrolment that reaches a waiting lane without a pass goes first (design.md section 5),
 * unless the lane is leased: then its owner sees `issue_seq` when it records the waiting.
 */
const extendStatement: SqlStatement = {
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
  const { rows } = await session.query<{ lane_id: number; tail_seq: number; version: number }>(extendStatement, [
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

interface PlaceRequest {
  readonly intents: readonly IntentToPlace[];
  readonly members: ReadonlyMap<string, Member>;
  readonly known: ReadonlyMap<string, KnownIdentity>;
  readonly now: number;
}

function isEnrolment(item: IntentToPlace): boolean {
  return item.intent.operation === 'issue' || item.intent.operation === 'issue-via-workflow';
}

function extensionOf(laneId: number, items: readonly IntentToPlace[]): LaneExtension {
  const issueRank = items.findLastIndex(isEnrolment) + 1;
  const program = items[0]?.intent.program ?? '';
  return { laneId, program, count: items.length, issueRank: issueRank === 0 ? null : issueRank };
}

interface KnownPlaces {
  readonly request: PlaceRequest;
  /** Business keys placed by this very batch. */
  readonly own: ReadonlyMap<string, IdentityPlace>;
}

/** The purchase that a refund waits for, when it is an earlier intent of the same lane. */
function waitsForSeq(item: IntentToPlace, laneId: number, places: KnownPlaces): number | null {
  const { request, own } = places;
  const key = businessDigest(item.intent, item.intent.waitsFor, request.members)?.toString('hex');
  if (key === undefined) return null;
  const place = request.known.get(key)?.place ?? own.get(key);
  return place?.laneId === laneId ? place.seq : null;
}

/** Gives each intent its lane, seq and version; the result is in the order of the request. */
export async function placeIntents(session: SqlSession, request: PlaceRequest): Promise<PlacedIntent[]> {
  const memberOf = (item: IntentToPlace): Member => {
    const member = request.members.get(memberKey(item.intent));
    if (member === undefined) throw new Error('an intent without a member cannot be placed');
    return member;
  };
  const laneOf = (item: IntentToPlace): number => memberOf(item).laneId;
  const groups = Map.groupBy(request.intents, laneOf);
  const extensions = [...groups].map(([laneId, items]) => extensionOf(laneId, items));
  const lanes = await extendLanes(session, extensions, request.now);
  const used = new Map<number, number>();
  const ownKeys = new Map<string, IdentityPlace>();
  return request.intents.map((item) => {
    const { laneId, erasedSeq, key } = memberOf(item);
    const lane = lanes.get(laneId);
    if (lane === undefined || key === null) throw new Error('a lane was not extended, or has no key');
    const rank = used.get(laneId) ?? 0;
    used.set(laneId, rank + 1);
    const seq = lane.firstSeq + rank;
    const waits = waitsForSeq(item, laneId, { request, own: ownKeys });
    if (item.identity.businessKey !== null) ownKeys.set(item.identity.businessKey.toString('hex'), { laneId, seq });
    const { intent, record, identity } = item;
    const version = lane.firstVersion + rank;
    return { laneId, seq, version, dedupKey: identity.eventKey, waitsForSeq: waits, key, erasedSeq, intent, record };
  });
}
