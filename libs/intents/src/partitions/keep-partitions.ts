import type { Database, SqlStatement } from '#platform';

import { withTableLock } from './with-table-lock.js';

/** Positions in one partition of `intent_event`, as the migrations have them. */
export const partitionPositions = 50_000_000;

/** A partition of `intent_event`: the positions from `from` up to, not including, `to`. */
interface EventPartition {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** What is to be made, in this order. `adopt`: the default partition becomes this one, and another takes its place. */
interface PartitionPlan {
  readonly adopt: EventPartition | null;
  readonly create: readonly EventPartition[];
}

interface PartitionStatus {
  /** The end of the last partition made: positions from here on go to the default partition. */
  readonly end: number;
  /** The last position given out. */
  readonly lastPosition: number;
  readonly hasUnpartitioned: boolean;
}

export interface PartitionSizes {
  /** Empty partitions that are to lie ahead of the one in use. */
  readonly ahead: number;
  /** Positions in one partition. */
  readonly positions: number;
}

/** What gets its name from its last position keeps it, however many positions its neighbours have. */
function partition(from: number, to: number, positions: number): EventPartition {
  return { name: `intent_event_p${to / positions}`, from, to };
}

/**
 * Which partitions are missing. Strays are never moved: the partition they lie in gets bounds, far enough ahead that no
 * position beyond them is given out while that is under way.
 */
export function planPartitions(status: PartitionStatus, { ahead, positions }: PartitionSizes): PartitionPlan {
  const { end, lastPosition, hasUnpartitioned } = status;
  const inUse = Math.floor(lastPosition / positions) + 1;
  const adoptTo = Math.max((inUse + 1) * positions, end + positions);
  const adopt = hasUnpartitioned ? partition(end, adoptTo, positions) : null;
  const create: EventPartition[] = [];
  const wanted = (inUse + ahead) * positions;
  for (let from = adopt?.to ?? end; from < wanted; from += positions) {
    create.push(partition(from, from + positions, positions));
  }
  return { adopt, create };
}

/** What a look at the partitions came to. */
export interface PartitionsKept {
  /** Names of partitions that were made, first the one made of what had strayed. */
  readonly made: readonly string[];
  /** Something is missing still: the tables were busy, or another process is at it. */
  readonly isBusy: boolean;
}

/**
 * Makes what partitions of `intent_event` are missing ahead of the one in use. Any number of processes may do so; one at a
 * time does. What was written to the default partition meanwhile becomes a partition of its own.
 * @throws {DatabaseError} also where our role may not have them made (`loyaltyd migrate --grant`)
 */
export async function keepPartitions(database: Database, sizes: PartitionSizes): Promise<PartitionsKept> {
  const { adopt, create } = planPartitions(await findPartitionStatus(database), sizes);
  const made: string[] = [];
  const steps: readonly (readonly [EventPartition, typeof createPartition])[] = [
    ...(adopt === null ? [] : [[adopt, attachDefaultPartition] as const]),
    ...create.map((partition) => [partition, createPartition] as const),
  ];
  for (const [partition, make] of steps) {
    if (!(await make(database, partition))) return { made, isBusy: true };
    made.push(partition.name);
  }
  return { made, isBusy: false };
}

const findStatement: SqlStatement = {
  name: 'find_partition_standing',
  text: `
SELECT event_partitions_end() AS "end",
  (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM event_pos_seq) AS "lastPosition",
  count_stray_events(1) > 0 AS "hasUnpartitioned"`,
};

/** How far partitions of `intent_event` reach, and how far they are used. */
async function findPartitionStatus(database: Database): Promise<PartitionStatus> {
  const { rows } = await database.execute<PartitionStatus>(findStatement);
  const [status] = rows;
  if (status === undefined) throw new Error('the partitions of intent_event could not be read');
  return status;
}

const makeStatement: SqlStatement = {
  name: 'make_event_partition',
  text: 'SELECT make_event_partition($1, $2) AS "isMade"',
};

/**
 * Makes a partition. The default partition is locked for a moment and looked through, so it should be empty.
 * @returns false when it could not be done without making others wait, or another process was faster: look again later
 */
export async function createPartition(database: Database, { from, to }: EventPartition): Promise<boolean> {
  let isMade = false;
  const isOurs = await withTableLock(database, 'create_partition', async (session) => {
    isMade = (await session.query<{ isMade: boolean }>(makeStatement, [from, to])).rows[0]?.isMade === true;
  });
  return isOurs && isMade;
}

const boundStatement: SqlStatement = { name: 'bound_stray_events', text: 'SELECT bound_stray_events($1, $2)' };

/** However many rows there are: it locks out nobody who reads or adds. */
const checkStatement: SqlStatement = {
  name: 'check_stray_events',
  mayTakeLong: true,
  text: 'SELECT check_stray_events()',
};

const adoptStatement: SqlStatement = { name: 'adopt_stray_events', text: 'SELECT adopt_stray_events($1, $2)' };

/**
 * Turns the default partition into a bounded one: nothing is moved or deleted. The next call finishes an interrupted
 * one.
 * @returns false when it could not be done without making others wait
 */
async function attachDefaultPartition(database: Database, { from, to }: EventPartition): Promise<boolean> {
  const steps = [
    { statement: boundStatement, bounds: [from, to] },
    { statement: checkStatement, bounds: [] },
    { statement: adoptStatement, bounds: [from, to] },
  ];
  for (const { statement, bounds } of steps) {
    const isDone = await withTableLock(database, 'adopt_strays', async (session) => {
      await session.query(statement, bounds);
    });
    if (!isDone) return false;
  }
  return true;
}

/** Counting stops here: a caller needs to know whether there are any, and about how many. */
export const unpartitionedEventsMax = 100_000;

const countStatement: SqlStatement = {
  name: 'count_stray_events',
  text: `SELECT count_stray_events(${unpartitionedEventsMax}) AS strays`,
};

/** Events in the default partition: they came when all partitions made ahead were full. */
export async function countUnpartitionedEvents(database: Database): Promise<number> {
  return (await database.execute<{ strays: number }>(countStatement)).rows[0]?.strays ?? 0;
}
