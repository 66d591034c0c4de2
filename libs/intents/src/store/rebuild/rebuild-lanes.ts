import type { RebuiltLane } from '#intents/core';
import { isDrained } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { operationList } from '../events/transition-sql.js';
import { RebuiltTallies } from '../tallies/settled-tally.js';
import { foldLane, loadFacts, loadLaneStarts, RebuildRefusedError } from './lane-truth.js';

/** Facts held in memory at once, unless one lane alone has more. */
const factsPerRoundMax = 50_000;

interface RebuildResult {
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
  await tallies.addRetired(session);
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
  const starts = await loadLaneStarts(
    session,
    round.map(({ laneId }) => laneId),
  );
  const byLane = Map.groupBy(rows, (row) => row.lane_id);
  const lanes = round.map((lane) => {
    const start = starts.get(lane.laneId) ?? null;
    return { ...lane, rebuilt: foldLane(lane.laneId, byLane.get(lane.laneId) ?? [], start) };
  });
  for (const { laneId, program } of round) tallies.add(program, byLane.get(laneId) ?? []);
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

/** Lanes in one page. */
const lanesPageMax = 1_000;

const listLanesToRebuildStatement: SqlStatement = {
  name: 'list_lanes_to_rebuild',
  text: `
WITH page AS MATERIALIZED (SELECT lane_id, program_id FROM member WHERE lane_id > $1 ORDER BY lane_id LIMIT ${lanesPageMax})
SELECT lane_id AS "laneId", program_id AS program,
  (SELECT count(*) FROM intent i WHERE i.lane_id = page.lane_id)
    + (SELECT count(*) FROM intent_history e WHERE e.lane_id = page.lane_id) AS facts
FROM page ORDER BY lane_id`,
};

/** A member's lane and how much is known of it; 0 when nothing was ever recorded for the member. */
interface LaneSize {
  readonly laneId: number;
  readonly program: string;
  readonly facts: number;
}

/** The next page of members, by lane. */
async function listLanes(session: SqlSession, after: number): Promise<readonly LaneSize[]> {
  return (await session.query<LaneSize>(listLanesToRebuildStatement, [after])).rows;
}

const lockStatement: SqlStatement = { name: 'lock_lane_table', text: 'LOCK TABLE lane IN ACCESS EXCLUSIVE MODE' };
const truncateStatement: SqlStatement = { name: 'truncate_lanes', text: 'TRUNCATE lane' };

/** An attempt under way stands on its lane alone: that must not be forgotten. */
const keepOpenBeginsStatement: SqlStatement = {
  name: 'keep_open_begins',
  text: `
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
SELECT lane_id, cur_seq, open_version, attempt, open_epoch, 'AttemptBegun', open_since FROM lane
WHERE attempt_open AND open_version IS NOT NULL`,
};

/** Removes every lane. @param check runs when nobody can touch a lane any more; throwing keeps them */
async function clearLanes(session: SqlSession, check: () => Promise<void>): Promise<void> {
  await session.query(lockStatement);
  await check();
  await session.query(keepOpenBeginsStatement);
  await session.query(truncateStatement);
}

const countHeldLanesStatement: SqlStatement = {
  name: 'count_held_lanes',
  text: 'SELECT count(*) AS held FROM lane WHERE owner IS NOT NULL AND due_at > $1::timestamptz',
};

/** Lanes under a lease that has not ended. */
async function countHeldLanes(session: SqlSession, now: number): Promise<number> {
  const { rows } = await session.query<{ held: number }>(countHeldLanesStatement, [timestamp(now)]);
  return rows[0]?.held ?? 0;
}

const insertRebuiltLanesStatement: SqlStatement = {
  name: 'insert_rebuilt_lanes',
  text: `
INSERT INTO lane (lane_id, program_id, due_at, epoch, revision, version, head_seq, tail_seq, cur_seq, attempt,
  attempt_open, open_since, redo, ahead, issue_seq, pass, state, high_seq, normal_seq)
SELECT lane_id, program_id, due_at, epoch, version, version, head_seq, tail_seq, cur_seq, attempt, open_since IS NOT NULL,
  open_since, redo::int[], ahead::int[], issue_seq, pass, state, COALESCE((SELECT max(seq) FROM intent i
    WHERE i.lane_id = w.lane_id AND i.operation IN (${operationList('uses')})), 0), tail_seq
FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[],
  $9::int[], $10::timestamptz[], $11::text[], $12::text[], $13::int[], $14::text[], $15::text[])
  AS w (lane_id, program_id, due_at, epoch, version, head_seq, tail_seq, cur_seq, attempt, open_since, redo, ahead,
    issue_seq, pass, state)`,
};

interface LaneToInsert {
  readonly laneId: number;
  readonly program: string;
  readonly rebuilt: RebuiltLane;
}

/**
 * Writes rebuilt lanes; a member of whom nothing was recorded has none. The revision only has to differ from 0. What the programs
 * file said of priorities is not known any more: they are those of the operations.
 */
async function insertLanes(session: SqlSession, lanes: readonly LaneToInsert[], now: number): Promise<void> {
  const known = lanes.filter(({ rebuilt }) => rebuilt.version > 0);
  if (known.length === 0) return;
  const column = <T>(of: (lane: RebuiltLane) => T): T[] => known.map(({ rebuilt }) => of(rebuilt));
  await session.query(insertRebuiltLanesStatement, [
    known.map(({ laneId }) => laneId),
    known.map(({ program }) => program),
    column((lane) => (lane.state === 'blocked' || isDrained(lane.cursor) ? null : timestamp(now))),
    column((lane) => lane.epoch + 1),
    column((lane) => lane.version),
    column((lane) => lane.cursor.head),
    column((lane) => lane.cursor.tail),
    column((lane) => lane.cursor.current),
    column((lane) => lane.attempt),
    column((lane) => (lane.openSince === null ? null : timestamp(lane.openSince))),
    column((lane) => `{${lane.cursor.redo.join(',')}}`),
    column((lane) => `{${lane.cursor.ahead.join(',')}}`),
    column((lane) => lane.issueSeq),
    column((lane) => lane.pass),
    column((lane) => lane.state),
  ]);
}
