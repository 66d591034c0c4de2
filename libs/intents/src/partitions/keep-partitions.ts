import type { Database, SqlStatement } from '#platform';
import { DatabaseError } from '#platform';

import { protectStatements, runAll, withTableLock } from './with-table-lock.js';

/** Positions in one partition of `intent_event`, as the first migration has them. */
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
 * @throws {DatabaseError} also where our role does not own the tables
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

/** The bounds are kept as text, such as `FOR VALUES FROM ('50000000') TO ('100000000')`. */
const findStatement: SqlStatement = {
  name: 'find_partition_standing',
  text: `
SELECT COALESCE((SELECT max((substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \\(''?(\\d+)'))::bigint)
    FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'intent_event'::regclass), 0) AS "end",
  (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM event_pos_seq) AS "lastPosition",
  EXISTS (SELECT FROM intent_event_default) AS "hasUnpartitioned"`,
};

/** How far partitions of `intent_event` reach, and how far they are used. */
async function findPartitionStatus(database: Database): Promise<PartitionStatus> {
  const { rows } = await database.execute<PartitionStatus>(findStatement);
  const [status] = rows;
  if (status === undefined) throw new Error('the partitions of intent_event could not be read');
  return status;
}

/** CREATE TABLE ... PARTITION OF would lock out whoever reads events; attaching a table of its own does not. */
function creation({ name, from, to }: EventPartition): SqlStatement[] {
  return [
    {
      name: `create_${name}`,
      text: `CREATE TABLE ${name} (LIKE intent_event INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION)`,
    },
    ...protectStatements(name),
    {
      name: `attach_${name}`,
      text: `ALTER TABLE intent_event ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`,
    },
  ];
}

/** Planned before the lock was ours: meanwhile another process made it. */
const duplicateTable = '42P07';

/**
 * Makes a partition. The default partition is locked for a moment and looked through, so it should be empty.
 * @returns false when it could not be done without making others wait, or another process was faster: look again later
 */
export async function createPartition(database: Database, partition: EventPartition): Promise<boolean> {
  try {
    return await withTableLock(database, 'create_partition', (session) => runAll(session, creation(partition)));
  } catch (error) {
    if (error instanceof DatabaseError && error.sqlState === duplicateTable) return false;
    throw error;
  }
}

const stray = 'intent_event_default';

/** Without this promise the rows would be read through once more, while everybody waits. */
function promiseBounds({ name, from, to }: EventPartition): SqlStatement[] {
  return [
    { name: 'drop_stray_bounds', text: `ALTER TABLE ${stray} DROP CONSTRAINT IF EXISTS stray_bounds` },
    {
      name: `bound_strays_for_${name}`,
      text: `ALTER TABLE ${stray} ADD CONSTRAINT stray_bounds CHECK (pos >= ${from} AND pos < ${to}) NOT VALID`,
    },
  ];
}

/** However many rows there are: it locks out nobody who reads or adds. */
const checkBounds: readonly SqlStatement[] = [
  { name: 'check_stray_bounds', mayTakeLong: true, text: `ALTER TABLE ${stray} VALIDATE CONSTRAINT stray_bounds` },
];

function change({ name, from, to }: EventPartition): SqlStatement[] {
  return [
    { name: 'detach_strays', text: `ALTER TABLE intent_event DETACH PARTITION ${stray}` },
    { name: `name_strays_${name}`, text: `ALTER TABLE ${stray} RENAME TO ${name}` },
    {
      name: `rename_guard_${name}`,
      text: `ALTER TRIGGER ${stray}_no_truncate ON ${name} RENAME TO ${name}_no_truncate`,
    },
    {
      name: `attach_${name}`,
      text: `ALTER TABLE intent_event ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`,
    },
    { name: `unbind_${name}`, text: `ALTER TABLE ${name} DROP CONSTRAINT stray_bounds` },
    { name: 'create_stray_partition', text: `CREATE TABLE ${stray} PARTITION OF intent_event DEFAULT` },
    ...protectStatements(stray),
  ];
}

/**
 * Turns the default partition into a bounded one: nothing is moved or deleted. The next call finishes an interrupted
 * one.
 * @returns false when it could not be done without making others wait
 */
async function attachDefaultPartition(database: Database, partition: EventPartition): Promise<boolean> {
  for (const statements of [promiseBounds(partition), checkBounds, change(partition)]) {
    const isDone = await withTableLock(database, 'adopt_strays', (session) => runAll(session, statements));
    if (!isDone) return false;
  }
  return true;
}

/** Counting stops here: a caller needs to know whether there are any, and about how many. */
export const unpartitionedEventsMax = 100_000;

const countStatement: SqlStatement = {
  name: 'count_stray_events',
  text: `SELECT count(*) AS strays FROM (SELECT FROM intent_event_default LIMIT ${unpartitionedEventsMax}) s`,
};

/** Events in the default partition: they came when all partitions made ahead were full. */
export async function countUnpartitionedEvents(database: Database): Promise<number> {
  return (await database.execute<{ strays: number }>(countStatement)).rows[0]?.strays ?? 0;
}
