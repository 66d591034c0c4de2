import type { LaneFact, LaneStart, Operation, RebuiltLane } from '#domain';
import { rebuildLane } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';
import { SafeError } from '#platform';

import type { EventRow } from '../events/stored-event.js';
import { toEvent } from '../events/stored-event.js';

/**
 * SQL: an update (`i`) of the record of an enrolment that was recorded later than that. One that was recorded along with it
 * stands right behind it.
 */
const isRenewal = `CASE WHEN i.operation IN ('update-via-workflow', 'schedule-update') THEN EXISTS (
    SELECT FROM intent o WHERE o.lane_id = i.lane_id AND o.dedup_key = i.dedup_key AND o.version < i.version - 1)
  ELSE false END`;

export const loadLaneFactsStatement: SqlStatement = {
  name: 'load_lane_facts',
  text: `
SELECT lane_id, seq, version, operation, 0 AS attempt, 0 AS epoch, 'IntentRecorded' AS type, recorded_at AS at,
  NULL::jsonb AS data, pos, ${isRenewal} AS renews
FROM intent i WHERE lane_id = ANY ($1::bigint[])
UNION ALL
SELECT lane_id, seq, version, NULL, attempt, epoch, type, at, data, pos, false
FROM intent_history WHERE lane_id = ANY ($1::bigint[])
ORDER BY lane_id, version`,
};

/** A row of `intent` or `intent_history`. */
export interface FactRow extends EventRow {
  readonly operation: Operation | null;
  readonly epoch: number;
  readonly pos: number;
  readonly renews: boolean;
}

/** All that is known of these lanes, in version order per lane; no payload, no evidence. */
export async function loadFacts(session: SqlSession, laneIds: readonly number[]): Promise<readonly FactRow[]> {
  return (await session.query<FactRow>(loadLaneFactsStatement, [laneIds])).rows;
}

const loadLaneCheckpointsStatement: SqlStatement = {
  name: 'load_lane_checkpoints',
  text: `
SELECT c.lane_id AS "laneId", c.version, c.kept, c.lane, c.counted,
  ARRAY(SELECT unnest(a.seqs) FROM lane_archive a WHERE a.lane_id = c.lane_id) AS covered
FROM lane_checkpoint c WHERE c.lane_id = ANY ($1::bigint[])`,
};

/** How many intents have left the truth, by operation and by how they ended. */
export type CountedEnds = Readonly<Record<string, { readonly delivered: number; readonly cancelled: number }>>;

/** How a lane stood at a version: where a rebuild begins when older facts have left the truth. */
export interface LaneCheckpoint {
  readonly laneId: number;
  readonly version: number;
  /** Facts up to that version that are still in the truth. */
  readonly kept: number;
  readonly lane: RebuiltLane;
  readonly counted: CountedEnds;
  /** Sequence numbers of the intents that have left. */
  readonly covered: readonly number[];
}

/** The checkpoints of these lanes, by lane; most have none. */
export async function loadCheckpoints(
  session: Pick<SqlSession, 'query'>,
  laneIds: readonly number[],
): Promise<ReadonlyMap<number, LaneCheckpoint>> {
  const { rows } = await session.query<LaneCheckpoint>(loadLaneCheckpointsStatement, [laneIds]);
  return new Map(rows.map((row) => [row.laneId, row]));
}

/** Lanes cannot be rebuilt now; the message says why. Nothing has been changed. */
export class RebuildRefusedError extends SafeError {
  override readonly name = 'RebuildRefusedError';
}

/** A lane from its rows, and from its checkpoint where it has one. @throws {RebuildRefusedError} where truth is missing */
export function foldLane(laneId: number, rows: readonly FactRow[], checkpoint: LaneCheckpoint | null): RebuiltLane {
  const covered = new Set(checkpoint?.covered);
  const from = checkpoint?.version ?? 0;
  const later = rows.filter(({ version }) => version > from);
  later.forEach((row, index) => {
    if (row.version === from + index + 1) return;
    const since = checkpoint === null ? '' : ` behind its checkpoint at version ${from}`;
    throw new RebuildRefusedError(`lane ${laneId}: its history lacks version ${from + index + 1}${since}`);
  });
  return rebuildLane(
    later.map((row) => (covered.has(row.seq) ? { kind: 'late', seq: row.seq } : toFact(row))),
    checkpoint === null ? null : startOf(rows, checkpoint, covered),
  );
}

function startOf(
  rows: readonly FactRow[],
  { laneId, version, kept: keptCount, lane }: LaneCheckpoint,
  covered: ReadonlySet<number>,
): LaneStart {
  const kept = rows.filter((row) => row.version <= version && !covered.has(row.seq));
  if (kept.length === keptCount) return { lane, kept: kept.map(toFact) };
  const lacks = `${keptCount} facts up to version ${version} that its checkpoint leaves to them, and has ${kept.length}`;
  throw new RebuildRefusedError(`lane ${laneId}: its history must hold ${lacks}`);
}

function toFact(row: FactRow): LaneFact {
  const { seq, operation, at, epoch, renews } = row;
  if (operation !== null) return { kind: 'recorded', seq, operation, at, ...(renews ? { isRenewal: true } : {}) };
  return { kind: 'happened', seq, epoch, event: toEvent(row) };
}
