import type { Database } from '#platform';

import { adoptStrays } from './adopt-strays.js';
import { createPartition } from './create-partition.js';
import { findPartitionStanding } from './find-partition-standing.js';
import type { EventPartition, PartitionSizes } from './partition-plan.js';
import { planPartitions } from './partition-plan.js';

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
  const { adopt, create } = planPartitions(await findPartitionStanding(database), sizes);
  const made: string[] = [];
  const steps: readonly (readonly [EventPartition, typeof createPartition])[] = [
    ...(adopt === null ? [] : [[adopt, adoptStrays] as const]),
    ...create.map((partition) => [partition, createPartition] as const),
  ];
  for (const [partition, make] of steps) {
    if (!(await make(database, partition))) return { made, isBusy: true };
    made.push(partition.name);
  }
  return { made, isBusy: false };
}
