import type { LaneFact, RebuiltLane } from '#domain';
import { rebuildLane } from '#domain';

import { toEvent } from '../events/stored-event.js';
import type { FactRow } from './load-facts.js';
import { RebuildRefusedError } from './rebuild-refused-error.js';

/** A lane from its rows. @throws {RebuildRefusedError} where a version is missing */
export function foldLane(laneId: number, rows: readonly FactRow[]): RebuiltLane {
  rows.forEach((row, index) => {
    if (row.version === index + 1) return;
    throw new RebuildRefusedError(`lane ${laneId}: its history lacks version ${index + 1}`);
  });
  return rebuildLane(rows.map(toFact));
}

function toFact(row: FactRow): LaneFact {
  const { seq, operation, at, epoch } = row;
  if (operation !== null) return { kind: 'recorded', seq, operation, at };
  return { kind: 'happened', seq, epoch, event: toEvent(row) };
}
