import type { RebuiltLane } from '#domain';
import { evolve, initialIntentState } from '#domain';
import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp, toEvent } from '../events/stored-event.js';
import type { FactRow, LaneCheckpoint } from '../rebuild/lane-truth.js';
import { foldLane, loadCheckpoints, loadFacts, RebuildRefusedError } from '../rebuild/lane-truth.js';

/** An intent that may leave the truth, with all its facts. */
export interface ExpiringIntent {
  readonly seq: number;
  readonly operation: string;
  readonly isCancelled: boolean;
  readonly facts: number;
  readonly firstPosition: number;
  readonly lastPosition: number;
}

export interface ExpiryLimits {
  /** Epoch ms: nothing happened to it since. */
  readonly before: number;
  /** Everybody who follows the events has read up to here. */
  readonly upTo: number;
  /** Asked for still: by an open replay, a refund that waits; an opt-out. */
  readonly wanted: ReadonlySet<number>;
}

/** Of one lane at once: what leaves, leaves in one transaction. */
const expiringPerLaneMax = 2_000;

/** Facts of the lane itself, such as an adopted pass. */
const laneSeq = 0;

/**
 * Which intents of a lane may leave: delivered or cancelled for long enough, behind where the lane stands. The last
 * enrolment stays, and whatever tells of the member's pass: they are asked for as long as there is the member.
 * @param rows of the lane, in version order
 */
function expiringIntents(
  rows: readonly FactRow[],
  { cursor, issueSeq }: RebuiltLane,
  { before, upTo, wanted }: ExpiryLimits,
): ExpiringIntent[] {
  const stays = new Set([laneSeq, cursor.current, issueSeq, ...cursor.redo, ...wanted]);
  return [...Map.groupBy(rows, ({ seq }) => seq)]
    .filter(([seq]) => seq < cursor.head && !stays.has(seq))
    .map(([seq, facts]) => expiringIntent(seq, facts))
    .filter((intent) => intent !== null)
    .filter(({ lastAt, lastPosition }) => lastAt < before && lastPosition <= upTo)
    .slice(0, expiringPerLaneMax)
    .map(({ lastAt: _lastAt, ...intent }) => intent);
}

function expiringIntent(seq: number, facts: readonly FactRow[]): (ExpiringIntent & { readonly lastAt: number }) | null {
  const operation = facts[0]?.operation ?? null;
  if (operation === null || facts.some(({ type }) => type === 'PassFound')) return null;
  const { status } = facts.reduce((state, row) => evolve(state, toEvent(row)), initialIntentState);
  if (status !== 'delivered' && status !== 'cancelled') return null;
  const positions = facts.map(({ pos }) => pos);
  return {
    seq,
    operation,
    isCancelled: status === 'cancelled',
    facts: facts.length,
    firstPosition: Math.min(...positions),
    lastPosition: Math.max(...positions),
    lastAt: Math.max(...facts.map(({ at }) => at)),
  };
}

/**
 * Of a replay that may still send it; a purchase whose refund is not settled (`w`); and an opt-out behind the last enrolment:
 * while the member has not enrolled anew, it forbids that a card that is gone is issued again.
 */
const wantedStatement: SqlStatement = {
  name: 'find_wanted_intents',
  text: `
SELECT i.lane_id AS "laneId", i.seq
FROM job j JOIN job_item i USING (job_id)
WHERE j.state NOT IN ('done', 'cancelled') AND i.lane_id = ANY ($1::bigint[])
UNION
SELECT w.lane_id, w.waits_for_seq
FROM lane l JOIN intent w ON w.lane_id = l.lane_id AND w.seq >= l.head_seq
WHERE l.lane_id = ANY ($1::bigint[]) AND w.waits_for_seq IS NOT NULL
UNION
SELECT w.lane_id, w.waits_for_seq
FROM intent_standing s JOIN intent w USING (lane_id, seq)
WHERE s.lane_id = ANY ($1::bigint[]) AND s.status IN ('waiting', 'unknown', 'parked') AND w.waits_for_seq IS NOT NULL
UNION
SELECT o.lane_id, o.seq
FROM lane l JOIN intent o ON o.lane_id = l.lane_id AND o.seq > l.issue_seq
WHERE l.lane_id = ANY ($1::bigint[]) AND o.event_type LIKE '%loyalty.member.opted-out.v%'`,
};

/** Intents of these lanes that somebody will still ask for, by lane. */
async function findWanted(
  session: Pick<SqlSession, 'query'>,
  laneIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const { rows } = await session.query<{ laneId: number; seq: number }>(wantedStatement, [laneIds]);
  const groups = Map.groupBy(rows, ({ laneId }) => laneId);
  return new Map([...groups].map(([laneId, group]) => [laneId, new Set(group.map(({ seq }) => seq))]));
}

/** A lane as its truth tells it, and what of it may leave. `broken`: its truth has holes; nothing leaves. */
export type ExaminedLane =
  | {
      readonly laneId: number;
      readonly isBroken: false;
      /** In version order, without what has left. */
      readonly rows: readonly FactRow[];
      readonly checkpoint: LaneCheckpoint | null;
      readonly folded: RebuiltLane;
      readonly expiring: readonly ExpiringIntent[];
    }
  | { readonly laneId: number; readonly isBroken: true };

/** Folds these lanes and finds what may leave them. All their facts are in memory. */
export async function examineLanes(
  session: Pick<SqlSession, 'query'>,
  laneIds: readonly number[],
  limits: Omit<ExpiryLimits, 'wanted'>,
): Promise<ExaminedLane[]> {
  const wanted = await findWanted(session, laneIds);
  const checkpoints = await loadCheckpoints(session, laneIds);
  const facts = Map.groupBy(await loadFacts(session, laneIds), (row) => row.lane_id);
  return laneIds.map((laneId) => {
    const lane = { laneId, checkpoint: checkpoints.get(laneId) ?? null, rows: facts.get(laneId) ?? [] };
    return examine(lane, { ...limits, wanted: wanted.get(laneId) ?? new Set() });
  });
}

function examine(
  { laneId, rows, checkpoint }: Omit<Extract<ExaminedLane, { isBroken: false }>, 'isBroken' | 'folded' | 'expiring'>,
  limits: ExpiryLimits,
): ExaminedLane {
  try {
    const covered = new Set(checkpoint?.covered);
    const own = rows.filter(({ seq }) => !covered.has(seq));
    const folded = foldLane(laneId, rows, checkpoint);
    return { laneId, isBroken: false, rows, checkpoint, folded, expiring: expiringIntents(own, folded, limits) };
  } catch (error) {
    if (error instanceof RebuildRefusedError) return { laneId, isBroken: true };
    throw error;
  }
}

/** Recordings looked through at once. */
const recordingsScannedMax = 1_000;

/** Where a look through the recordings, oldest first, goes on. */
export interface RecordingPlace {
  /** As Postgres writes it: cut to milliseconds it would be found again and again. */
  readonly recordedAt: string;
  readonly laneId: number;
  readonly seq: number;
}

export const oldestRecording: RecordingPlace = { recordedAt: '-infinity', laneId: 0, seq: 0 };

/** Most of what stays is seen here already: last enrolments, and what needs a person. */
const lanesStatement: SqlStatement = {
  name: 'find_leaving_lanes',
  text: `
WITH looked AS MATERIALIZED (
  SELECT recorded_at, lane_id, seq FROM intent
  WHERE recorded_at < $1::timestamptz AND (recorded_at, lane_id, seq) > ($2::timestamptz, $3::bigint, $4::int)
  ORDER BY recorded_at, lane_id, seq LIMIT ${recordingsScannedMax}
)
SELECT l.recorded_at::text AS "recordedAt", l.lane_id AS "laneId", l.seq,
  l.seq < lane.head_seq AND l.seq IS DISTINCT FROM lane.issue_seq
    AND COALESCE(s.status, 'delivered') IN ('delivered', 'cancelled') AS "mayLeave"
FROM looked l JOIN lane USING (lane_id) LEFT JOIN intent_standing s ON s.lane_id = l.lane_id AND s.seq = l.seq
ORDER BY l.recorded_at, l.lane_id, l.seq`,
};

/** Lanes of which something may be old enough to leave, each at its first such recording, and where to look next; null at the end. */
async function findExpiringLanes(
  database: Database,
  before: number,
  after: RecordingPlace,
): Promise<{ readonly firsts: readonly RecordingPlace[]; readonly next: RecordingPlace | null }> {
  const { rows } = await database.execute<RecordingPlace & { readonly mayLeave: boolean }>(lanesStatement, [
    timestamp(before),
    after.recordedAt,
    after.laneId,
    after.seq,
  ]);
  const expiring = rows.filter(({ mayLeave }) => mayLeave);
  const firsts = Map.groupBy(expiring, ({ laneId }) => laneId).values();
  return { firsts: [...firsts].flatMap(([first]) => first ?? []), next: rows.at(-1) ?? null };
}

/** Lanes whose facts are in memory at once. */
const examinedLanesMax = 50;

export interface ExpiringLane {
  readonly laneId: number;
  readonly expiring: readonly ExpiringIntent[];
}

interface GatherRequest {
  readonly limits: Omit<ExpiryLimits, 'wanted'>;
  readonly after: RecordingPlace;
  /** It ends with the lanes, examined together, in which so many intents came together. */
  readonly intentsMax: number;
  /** Given lanes with what may leave them, some at a time; each lane once. */
  readonly take: (lanes: readonly ExpiringLane[]) => Promise<void>;
  /** Called every now and then; throwing ends it. */
  readonly stillOurs: () => Promise<void>;
}

/** What a look came to. */
export interface Gathered {
  readonly intents: number;
  readonly facts: number;
  readonly lanesDiffering: number;
  /** Null: all recordings have been looked through. */
  readonly next: RecordingPlace | null;
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

function hasExpiring(lane: ExaminedLane): lane is Extract<ExaminedLane, { isBroken: false }> {
  return !lane.isBroken && lane.expiring.length > 0;
}

/** Looks through recordings, oldest first, for intents that may leave. Changes nothing. */
export async function gatherExpiring(database: Database, request: GatherRequest): Promise<Gathered> {
  const { limits, intentsMax, stillOurs } = request;
  const seen = new Set<number>();
  const found = { intents: 0, facts: 0, lanesDiffering: 0 };
  for (let after: RecordingPlace | null = request.after; after !== null;) {
    // Also where nothing leaves: such a look can be long.
    await stillOurs();
    const { firsts, next } = await findExpiringLanes(database, limits.before, after);
    const fresh = firsts.filter(({ laneId }) => !seen.has(laneId));
    for (const chunk of chunksOf(fresh, examinedLanesMax)) {
      await gatherChunk(database, request, { chunk, found });
      // All recordings up to the last of these places belong to lanes that were examined.
      if (found.intents >= intentsMax) return { ...found, next: chunk.at(-1) ?? next };
    }
    for (const { laneId } of fresh) seen.add(laneId);
    after = next;
  }
  return { ...found, next: null };
}

async function gatherChunk(
  database: Database,
  { limits, take }: GatherRequest,
  {
    chunk,
    found,
  }: {
    readonly chunk: readonly RecordingPlace[];
    readonly found: { -readonly [Count in 'intents' | 'facts' | 'lanesDiffering']: number };
  },
): Promise<void> {
  const laneIds = chunk.map(({ laneId }) => laneId);
  const lanes = await database.transaction('examine_lanes', (session) => examineLanes(session, laneIds, limits));
  const expiring = lanes.filter(hasExpiring);
  await take(expiring);
  const intents = expiring.flatMap((lane) => lane.expiring);
  found.intents += intents.length;
  found.facts += intents.reduce((sum, { facts }) => sum + facts, 0);
  found.lanesDiffering += lanes.filter(({ isBroken }) => isBroken).length;
}

const positionStatement: SqlStatement = {
  name: 'find_read_position',
  text: `
SELECT LEAST((SELECT pos FROM tally_checkpoint), (SELECT pos FROM projection_checkpoint WHERE name = 'outcomes')) AS pos`,
};

const exportStatement: SqlStatement = {
  name: 'find_open_export',
  text: `SELECT job_id AS "jobId" FROM job WHERE kind = 'export' AND state IN ('waiting', 'running', 'paused') LIMIT 1`,
};

/** The position up to which everybody who follows the events has read. */
export async function findReadPosition(database: Database): Promise<number> {
  return (await database.execute<{ pos: number | null }>(positionStatement)).rows[0]?.pos ?? 0;
}

/** What keeps every intent where it is; null: nothing. An export that is not over reads what was there when it began. */
export async function findHolder(session: Pick<SqlSession, 'query'>): Promise<string | null> {
  const [job] = (await session.query<{ jobId: string }>(exportStatement)).rows;
  return job === undefined ? null : `the export ${job.jobId} is not over`;
}
