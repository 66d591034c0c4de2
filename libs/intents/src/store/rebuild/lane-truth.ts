import type { LaneFact, LaneStart, Operation, RebuiltLane } from '#intents/core';
import { rebuildLane } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { SafeError } from '#platform';

import type { EventRow } from '../events/stored-event.js';
import { toEvent } from '../events/stored-event.js';
import { operationList } from '../events/transition-sql.js';

/**
 * SQL: an update (`i`) of the record of an enrolment that was recorded later than that. One that was recorded along with it
 * stands right behind it.
 */
const isRenewal = `CASE WHEN i.operation IN (${operationList('changes')}) THEN EXISTS (
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

const loadLaneStartsStatement: SqlStatement = {
  name: 'load_lane_starts',
  text: `
SELECT lane_id AS "laneId", version, gone, tail_seq AS tail, epoch, issue_seq AS "issueSeq", pass
FROM lane_start WHERE lane_id = ANY ($1::bigint[])`,
};

/** How a lane at rest stood at a version: where a rebuild begins when older facts have left. */
export interface StoredLaneStart extends Pick<RebuiltLane, 'version' | 'epoch' | 'issueSeq' | 'pass'> {
  readonly laneId: number;
  /** Facts that have left. */
  readonly gone: number;
  readonly tail: number;
}

/** Where the history of these lanes begins, by lane; of most from the beginning. */
export async function loadLaneStarts(
  session: Pick<SqlSession, 'query'>,
  laneIds: readonly number[],
): Promise<ReadonlyMap<number, StoredLaneStart>> {
  const { rows } = await session.query<StoredLaneStart>(loadLaneStartsStatement, [laneIds]);
  return new Map(rows.map((row) => [row.laneId, row]));
}

/** Lanes cannot be rebuilt now; the message says why. Nothing has been changed. */
export class RebuildRefusedError extends SafeError {
  override readonly name = 'RebuildRefusedError';
}

/** A lane from its rows, and from where its history begins. @throws {RebuildRefusedError} where truth is missing */
export function foldLane(laneId: number, rows: readonly FactRow[], start: StoredLaneStart | null): RebuiltLane {
  const from = start?.version ?? 0;
  const later = rows.filter(({ version }) => version > from);
  later.forEach((row, index) => {
    if (row.version === from + index + 1) return;
    const since = start === null ? '' : ` behind its beginning at version ${from}`;
    throw new RebuildRefusedError(`lane ${laneId}: its history lacks version ${from + index + 1}${since}`);
  });
  return rebuildLane(later.map(toFact), start === null ? null : startOf(rows, start));
}

function startOf(rows: readonly FactRow[], start: StoredLaneStart): LaneStart {
  const { laneId, version, gone, tail, epoch, issueSeq, pass } = start;
  const kept = rows.filter((row) => row.version <= version);
  if (kept.length + gone !== version) {
    const lacks = `${version - gone} facts up to version ${version}, and has ${kept.length}`;
    throw new RebuildRefusedError(`lane ${laneId}: its history must hold ${lacks}`);
  }
  const cursor = { head: tail + 1, tail, current: tail + 1, redo: [], ahead: [] };
  const lane: RebuiltLane = { cursor, state: 'live', pass, version, attempt: 0, openSince: null, issueSeq, epoch };
  return { lane, kept: kept.map(toFact) };
}

function toFact(row: FactRow): LaneFact {
  const { seq, operation, at, epoch, renews } = row;
  if (operation !== null) return { kind: 'recorded', seq, operation, at, ...(renews ? { isRenewal: true } : {}) };
  return { kind: 'happened', seq, epoch, event: toEvent(row) };
}
