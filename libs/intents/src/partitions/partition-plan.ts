/** Positions in one partition of `intent_event`, as the first migration has them. */
export const partitionPositions = 50_000_000;

/** A partition of `intent_event`: the positions from `from` up to, not including, `to`. */
export interface EventPartition {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** What is to be made, in this order. `adopt`: the default partition becomes this one, and another takes its place. */
export interface PartitionPlan {
  readonly adopt: EventPartition | null;
  readonly create: readonly EventPartition[];
}

export interface PartitionStanding {
  /** The end of the last partition made: positions from here on go to the default partition. */
  readonly end: number;
  /** The last position given out. */
  readonly lastPosition: number;
  readonly hasStrays: boolean;
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
export function planPartitions(standing: PartitionStanding, { ahead, positions }: PartitionSizes): PartitionPlan {
  const { end, lastPosition, hasStrays } = standing;
  const inUse = Math.floor(lastPosition / positions) + 1;
  const adoptTo = Math.max((inUse + 1) * positions, end + positions);
  const adopt = hasStrays ? partition(end, adoptTo, positions) : null;
  const create: EventPartition[] = [];
  const wanted = (inUse + ahead) * positions;
  for (let from = adopt?.to ?? end; from < wanted; from += positions) {
    create.push(partition(from, from + positions, positions));
  }
  return { adopt, create };
}
