import type { RebuiltLane } from '#domain';
import type { SqlSession } from '#platform';

import { foldLane } from '../rebuild/fold-lane.js';
import type { LaneCheckpoint } from '../rebuild/load-checkpoints.js';
import { loadCheckpoints } from '../rebuild/load-checkpoints.js';
import type { FactRow } from '../rebuild/load-facts.js';
import { loadFacts } from '../rebuild/load-facts.js';
import { RebuildRefusedError } from '../rebuild/rebuild-refused-error.js';
import { findWanted } from './find-wanted.js';
import type { LeavingIntent, LeavingLimits } from './leaving-intents.js';
import { leavingIntents } from './leaving-intents.js';

/** A lane as its truth tells it, and what of it may leave. `broken`: its truth has holes; nothing leaves. */
export type ExaminedLane =
  | {
      readonly laneId: number;
      readonly isBroken: false;
      /** In version order, without what has left. */
      readonly rows: readonly FactRow[];
      readonly checkpoint: LaneCheckpoint | null;
      readonly folded: RebuiltLane;
      readonly leaving: readonly LeavingIntent[];
    }
  | { readonly laneId: number; readonly isBroken: true };

/** Folds these lanes and finds what may leave them. All their facts are in memory. */
export async function examineLanes(
  session: Pick<SqlSession, 'query'>,
  laneIds: readonly number[],
  limits: Omit<LeavingLimits, 'wanted'>,
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
  { laneId, rows, checkpoint }: Omit<Extract<ExaminedLane, { isBroken: false }>, 'isBroken' | 'folded' | 'leaving'>,
  limits: LeavingLimits,
): ExaminedLane {
  try {
    const covered = new Set(checkpoint?.covered);
    const own = rows.filter(({ seq }) => !covered.has(seq));
    const folded = foldLane(laneId, rows, checkpoint);
    return { laneId, isBroken: false, rows, checkpoint, folded, leaving: leavingIntents(own, folded, limits) };
  } catch (error) {
    if (error instanceof RebuildRefusedError) return { laneId, isBroken: true };
    throw error;
  }
}
