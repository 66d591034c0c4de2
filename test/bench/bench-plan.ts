import type { BacklogSize } from './backlog/fill-store.js';
import type { BenchOptions } from './options.js';

/** How much of everything. */
export interface BenchPlan {
  /** Counted rounds; one more comes first, uncounted, for code to be compiled and caches to fill. */
  readonly rounds: number;
  readonly concurrency: number;
  readonly delivery: BacklogSize;
  readonly ingest: BacklogSize;
  /** A slow peer stops after so long. */
  readonly peerSecondsMax: number;
  /** What takes longer than this is broken. */
  readonly roundSecondsMax: number;
}

const quick: BenchPlan = {
  rounds: 3,
  concurrency: 64,
  delivery: { members: 4_000, intentsPerMember: 5 },
  ingest: { members: 4_000, intentsPerMember: 10 },
  peerSecondsMax: 4,
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
