import type { Database } from '#platform';

import type { RetentionHold } from '../retention/retention-run.js';
import { compactPartition } from './compact-partition.js';
import { listOldPartitions, measurePartition } from './measure-partition.js';

export interface CompactionLimits {
  /** Positions up to here are final, and read by everybody who follows the events. */
  readonly finalPosition: number;
  /** A smaller one is not worth it. */
  readonly bytesMin: number;
}

/** Below it half of the file is given back. */
const usedShareMax = 0.5;

/** Gives back the room of what has left: partitions that get no more events are written anew, or dropped. @returns their names */
export async function compactPartitions(
  database: Database,
  { finalPosition, bytesMin }: CompactionLimits,
  hold: RetentionHold,
): Promise<readonly string[]> {
  const done: string[] = [];
  for (const partition of await listOldPartitions(database, finalPosition)) {
    const { bytes, usedBytes } = await measurePartition(database, partition.name);
    if (bytes < bytesMin || usedBytes > bytes * usedShareMax) continue;
    if (await compactPartition(database, partition, hold)) done.push(partition.name);
  }
  return done;
}
