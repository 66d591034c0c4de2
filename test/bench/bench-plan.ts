import type { BacklogSize, BacklogOfMany } from './backlog/fill-store.js';
import type { HistorySize } from './backlog/fill-tables.js';
import type { BenchOptions } from './options.js';

export interface LatencyPlan {
  readonly members: number;
  /** Events that are produced at once to find the capacity. */
  readonly burst: number;
  /** At each load. */
  readonly seconds: number;
  /** At the fixed rate, so often. */
  readonly rounds: number;
}

export interface BacklogPlan {
  /** Pending intents. */
  readonly small: number;
  readonly middle: number;
  readonly large: number;
  /** The timed part; fewer than the small backlog has, so that its end is not part of it. */
  readonly deliveries: number;
  readonly rounds: number;
}

export interface MemoryPlan {
  readonly members: number;
  readonly events: number;
  readonly leadMax: number;
  /** Long enough to tell whether memory grows. */
  readonly isLong: boolean;
  readonly secondsMax: number;
}

export interface ConsumersPlan {
  readonly membersPerPartition: number;
  /** Of a lag. */
  readonly eventsPerPartition: number;
  /** So many lags are caught up with; one more comes first, uncounted. */
  readonly rounds: number;
  /** In each round one joins twice, one is stopped, and one is killed. */
  readonly rebalanceRounds: number;
}

/** How much of everything. */
export interface BenchPlan {
  /** Counted rounds; one more comes first, uncounted, for code to be compiled and caches to fill. */
  readonly rounds: number;
  /** Calls at once of the loops: with more their rate falls. */
  readonly concurrency: number;
  /** `limits.concurrency` of our program: an attempt counts from its begin on, group commits included. */
  readonly deliveryConcurrency: number;
  readonly delivery: BacklogSize;
  /** What an engine of durable execution delivers: it takes as long for it as others for the other backlog. */
  readonly durableExecution: BacklogSize;
  readonly ingest: BacklogSize;
  /** Beside the same backlog. */
  readonly crowd: BacklogOfMany;
  /** Its bar is close to 1: with 3 rounds it told 0.91 and 0.97 of the same program. */
  readonly crowdRounds: number;
  readonly latency: LatencyPlan;
  readonly idle: { readonly settleSeconds: number; readonly seconds: number };
  /** Events that are produced at once. */
  readonly pods: { readonly burst: number };
  readonly consumers: ConsumersPlan;
  readonly backlog: BacklogPlan;
  readonly memory: MemoryPlan;
  readonly disk: BacklogSize;
  /** What leaves, and what is recorded meanwhile: that must take longer. */
  readonly retention: { readonly aged: BacklogSize; readonly recorded: BacklogSize };
  /** Purchases without a card. */
  readonly receipts: number;
  /** Actions in the audit, and as many records in quarantine. */
  readonly readers: { readonly rows: number; readonly seconds: number };
  readonly lists: HistorySize;
  readonly console: HistorySize;
  /** A peer stops after so long. */
  readonly peerSecondsMax: number;
  /** What takes longer than this is broken. */
  readonly roundSecondsMax: number;
}

const quick: BenchPlan = {
  rounds: 2,
  concurrency: 64,
  deliveryConcurrency: 256,
  delivery: { members: 3_000, intentsPerMember: 5 },
  durableExecution: { members: 1_000, intentsPerMember: 5 },
  ingest: { members: 3_000, intentsPerMember: 10 },
  crowd: { blockedLanes: 10_000, hotIntents: 50_000 },
  crowdRounds: 9,
  latency: { members: 4_000, burst: 15_000, seconds: 5, rounds: 2 },
  idle: { settleSeconds: 5, seconds: 10 },
  pods: { burst: 10_000 },
  consumers: { membersPerPartition: 200, eventsPerPartition: 4_000, rounds: 2, rebalanceRounds: 1 },
  backlog: { small: 10_000, middle: 30_000, large: 100_000, deliveries: 8_000, rounds: 2 },
  memory: { members: 4_000, events: 25_000, leadMax: 10_000, isLong: false, secondsMax: 120 },
  disk: { members: 3_000, intentsPerMember: 10 },
  retention: { aged: { members: 9_000, intentsPerMember: 10 }, recorded: { members: 3_000, intentsPerMember: 10 } },
  receipts: 100_000,
  readers: { rows: 100_000, seconds: 20 },
  lists: { members: 20_000, intentsPerMember: 10, exceptions: 1_000 },
  console: { members: 20_000, intentsPerMember: 10, exceptions: 1_000 },
  peerSecondsMax: 2,
  roundSecondsMax: 60,
};

const full: BenchPlan = {
  ...quick,
  rounds: 7,
  delivery: { members: 20_000, intentsPerMember: 5 },
  durableExecution: { members: 4_000, intentsPerMember: 5 },
  ingest: { members: 20_000, intentsPerMember: 10 },
  latency: { members: 4_000, burst: 50_000, seconds: 30, rounds: 5 },
  idle: { settleSeconds: 60, seconds: 60 },
  pods: { burst: 40_000 },
  consumers: { membersPerPartition: 200, eventsPerPartition: 10_000, rounds: 5, rebalanceRounds: 5 },
  backlog: { small: 10_000, middle: 100_000, large: 1_000_000, deliveries: 8_000, rounds: 7 },
  memory: { members: 20_000, events: 1_000_000, leadMax: 20_000, isLong: true, secondsMax: 1_200 },
  disk: { members: 20_000, intentsPerMember: 10 },
  retention: { aged: { members: 60_000, intentsPerMember: 10 }, recorded: { members: 20_000, intentsPerMember: 10 } },
  receipts: 1_000_000,
  readers: { rows: 1_000_000, seconds: 60 },
  lists: { members: 1_000_000, intentsPerMember: 10, exceptions: 20_000 },
  console: { members: 100_000, intentsPerMember: 10, exceptions: 10_000 },
  peerSecondsMax: 15,
  roundSecondsMax: 180,
};

export const planOf = ({ isQuick, rounds }: BenchOptions): BenchPlan => {
  const plan = isQuick ? quick : full;
  if (rounds === null) return plan;
  const { latency, consumers, backlog } = plan;
  return {
    ...plan,
    rounds,
    crowdRounds: rounds,
    latency: { ...latency, rounds },
    consumers: { ...consumers, rounds, rebalanceRounds: rounds },
    backlog: { ...backlog, rounds },
  };
};
