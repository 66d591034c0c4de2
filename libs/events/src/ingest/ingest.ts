import type { KafkaBatchServer } from '#kafka';
import type { BackgroundLoop } from '#platform';

import type { PartitionBatcher } from './loop/partition-batcher.js';
import type { PartitionPosition } from './positions/positions.js';

export interface StallQuestion {
  /** Monotonic. */
  readonly now: number;
  /** Whether the database answers others. */
  readonly isDatabaseThere: boolean;
}

/** The parts of ingest, wired but not started. */
export abstract class Ingest {
  abstract readonly batcher: PartitionBatcher;
  abstract readonly server: KafkaBatchServer;
  /** `null` when dead letters are switched off. */
  abstract readonly deadLetters: BackgroundLoop | null;
  abstract readonly erasures: BackgroundLoop;
  /** When the source last made progress, on the monotonic clock. */
  abstract readonly lastProgressAt: () => number;
  /** For liveness: the parts that make no progress although they could. */
  abstract readonly stalls: (question: StallQuestion) => string[];
  /** The next offset of each of our partitions that is placed, or held at a gap. */
  abstract readonly partitionPositions: () => readonly PartitionPosition[];
}
