import type { LaneFact, LaneStart, RebuiltLane } from '#domain';
import { rebuildLane } from '#domain';

import { toEvent } from '../events/stored-event.js';
import type { LaneCheckpoint } from './load-checkpoints.js';
import type { FactRow } from './load-facts.js';
import { RebuildRefusedError } from './rebuild-refused-error.js';

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
  const { seq, operation, at, epoch } = row;
  if (operation !== null) return { kind: 'recorded', seq, operation, at };
  return { kind: 'happened', seq, epoch, event: toEvent(row) };
}
