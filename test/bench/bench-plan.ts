import type { BacklogSize, Crowd } from './backlog/fill-store.js';
import type { BenchOptions } from './options.js';

/** How much of everything. */
export interface BenchPlan {
  /** Counted rounds; one more comes first, uncounted, for code to be compiled and caches to fill. */
  readonly rounds: number;
  /** Calls at once of the loops: with more their rate falls. */
  readonly concurrency: number;
  /** `limits.concurrency` of our program: an attempt counts from its begin on, group commits included. */
  readonly deliveryConcurrency: number;
  readonly delivery: BacklogSize;
  readonly ingest: BacklogSize;
  /** Beside the same backlog. */
  readonly crowd: Crowd;
  /** A slow peer stops after so long. */
  readonly peerSecondsMax: number;
  /** What takes longer than this is broken. */
  readonly roundSecondsMax: number;
}

const quick: BenchPlan = {
  rounds: 3,
  concurrency: 64,
  deliveryConcurrency: 256,
  delivery: { members: 4_000, intentsPerMember: 5 },
  ingest: { members: 4_000, intentsPerMember: 10 },
  crowd: { blockedLanes: 10_000, hotIntents: 50_000 },
  peerSecondsMax: 3,
  roundSecondsMax: 60,
};

const full: BenchPlan = {
  ...quick,
  rounds: 7,
  delivery: { members: 20_000, intentsPerMember: 5 },
  ingest: { members: 20_000, intentsPerMember: 10 },
  peerSecondsMax: 15,
  roundSecondsMax: 180,
};

export const planOf = ({ isQuick, rounds }: BenchOptions): BenchPlan => {
  const plan = isQuick ? quick : full;
  return rounds === null ? plan : { ...plan, rounds };
};
