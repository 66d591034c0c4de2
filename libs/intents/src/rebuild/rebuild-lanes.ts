import type { Database, SqlSession } from '#platform';

import { clearLanes } from './clear-lanes.js';
import { countHeldLanes } from './count-held-lanes.js';
import { foldLane } from './fold-lane.js';
import { insertLanes } from './insert-lanes.js';
import type { LaneSize } from './list-lanes.js';
import { listLanes } from './list-lanes.js';
import { loadCheckpoints } from './load-checkpoints.js';
import { loadFacts } from './load-facts.js';
import { RebuildRefusedError } from './rebuild-refused-error.js';
import { RebuiltTallies } from '../tallies/rebuild-tallies.js';

/** Facts held in memory at once, unless one lane alone has more. */
const factsPerRoundMax = 50_000;

export interface RebuildResult {
  readonly lanes: number;
  readonly facts: number;
}

/**
 * Recreates every lane and the counts of intents from the truth tables, in one transaction: it is done whole or not at all, and ingest waits
 * meanwhile. Leases end, fencing epochs go on above the old ones, and everything unsettled is due at once.
 * @param now epoch milliseconds
 * @throws {RebuildRefusedError} while a daemon holds lanes, or when truth is missing
 */
export async function rebuildLanes(database: Database, now: number): Promise<RebuildResult> {
  return database.transaction('rebuild_lanes', async (session) => {
    await clearLanes(session, async () => {
      const held = await countHeldLanes(session, now);
      if (held > 0) throw new RebuildRefusedError(`${held} lanes are held by running daemons: stop delivery first`);
    });
    return rebuildAll(session, now);
  });
}

async function rebuildAll(session: SqlSession, now: number): Promise<RebuildResult> {
  const tallies = new RebuiltTallies();
  let result: RebuildResult = { lanes: 0, facts: 0 };
  let page = await listLanes(session, 0);
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    for (const round of roundsOf(page)) result = add(result, await rebuildRound(session, round, { now, tallies }));
    page = await listLanes(session, last.laneId);
  }
  await tallies.save(session);
  return result;
}

function add(total: RebuildResult, more: RebuildResult): RebuildResult {
  return { lanes: total.lanes + more.lanes, facts: total.facts + more.facts };
}

async function rebuildRound(
  session: SqlSession,
  round: readonly LaneSize[],
  { now, tallies }: { readonly now: number; readonly tallies: RebuiltTallies },
): Promise<RebuildResult> {
  const rows = await loadFacts(
    session,
    round.map(({ laneId }) => laneId),
  );
  const checkpoints = await loadCheckpoints(
    session,
    round.map(({ laneId }) => laneId),
  );
  const byLane = Map.groupBy(rows, (row) => row.lane_id);
  const lanes = round.map((lane) => {
    const checkpoint = checkpoints.get(lane.laneId) ?? null;
    return { ...lane, rebuilt: foldLane(lane.laneId, byLane.get(lane.laneId) ?? [], checkpoint) };
  });
  for (const { laneId, program } of round) {
    tallies.add(program, byLane.get(laneId) ?? []);
    tallies.addCounted(program, checkpoints.get(laneId)?.counted ?? {});
  }
  await insertLanes(session, lanes, now);
  return { lanes: lanes.length, facts: rows.length };
}

/** Neighbouring lanes that are rebuilt together. */
function roundsOf(page: readonly LaneSize[]): LaneSize[][] {
  const rounds: LaneSize[][] = [];
  let size = Infinity;
  for (const lane of page) {
    if (size + lane.facts > factsPerRoundMax) {
      rounds.push([]);
      size = 0;
    }
    rounds.at(-1)?.push(lane);
    size += lane.facts;
  }
  return rounds;
}
