import type { BacklogSize, BacklogOfMany } from './backlog/fill-store.js';
import type { HistorySize } from './backlog/fill-tables.js';
import type { BenchOptions } from './options.js';

/** Events for real daemons. */
export interface LoadPlan {
  readonly members: number;
  /** Events that are produced at once, to warm up and to find what is reached. */
  readonly burst: number;
  /** At each load. */
  readonly seconds: number;
  /** At the usual rate, so often. */
  readonly rounds: number;
}

/** Members and a burst of its own: with few members each would wait for its event before. */
interface EndToEndPlan {
  readonly members: number;
  readonly burst: number;
  /** How long a rate is to be sustained. */
  readonly seconds: number;
  readonly searchSeconds: number;
  readonly steps: number;
}

interface PendingPlan {
  /** Pending intents. */
  readonly middle: number;
  readonly large: number;
  /** The timed part; fewer than the smaller backlog has, so that its end is not part of it. */
  readonly deliveries: number;
  readonly peerSecondsMax: number;
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
  readonly load: LoadPlan;
  readonly endToEnd: EndToEndPlan;
  readonly idle: { readonly settleSeconds: number; readonly seconds: number };
  /** Events that are produced at once. */
  readonly pods: { readonly burst: number };
  readonly consumers: ConsumersPlan;
  /** Few rounds: each is long. */
  readonly sparse: { readonly size: BacklogSize; readonly rounds: number; readonly peerSecondsMax: number };
  readonly pending: PendingPlan;
  readonly memory: MemoryPlan;
  readonly disk: BacklogSize;
  /** Members, and events between two checkpoints: as many as come in five minutes at 1,000 a second. */
  readonly log: { readonly members: number; readonly events: number; readonly secondsMax: number };
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
  load: { members: 4_000, burst: 15_000, seconds: 5, rounds: 2 },
  endToEnd: { members: 4_000, burst: 4_000, seconds: 15, searchSeconds: 5, steps: 3 },
  idle: { settleSeconds: 5, seconds: 10 },
  pods: { burst: 10_000 },
  consumers: { membersPerPartition: 200, eventsPerPartition: 4_000, rounds: 2, rebalanceRounds: 1 },
  sparse: { size: { members: 10_000, intentsPerMember: 1 }, rounds: 2, peerSecondsMax: 10 },
  pending: { middle: 20_000, large: 100_000, deliveries: 4_000, peerSecondsMax: 5, rounds: 2 },
  memory: { members: 4_000, events: 25_000, leadMax: 10_000, isLong: false, secondsMax: 120 },
  disk: { members: 3_000, intentsPerMember: 10 },
  log: { members: 200_000, events: 10_000, secondsMax: 120 },
  retention: { aged: { members: 9_000, intentsPerMember: 10 }, recorded: { members: 3_000, intentsPerMember: 10 } },
  receipts: 100_000,
  readers: { rows: 100_000, seconds: 20 },
  lists: { members: 20_000, intentsPerMember: 10, exceptions: 1_000 },
  console: { members: 20_000, intentsPerMember: 10, exceptions: 1_000 },
  peerSecondsMax: 2,
  roundSecondsMax: 180,
};

const full: BenchPlan = {
  ...quick,
  rounds: 7,
  delivery: { members: 20_000, intentsPerMember: 5 },
  durableExecution: { members: 4_000, intentsPerMember: 5 },
  ingest: { members: 20_000, intentsPerMember: 10 },
  load: { members: 4_000, burst: 50_000, seconds: 30, rounds: 5 },
  endToEnd: { members: 50_000, burst: 50_000, seconds: 60, searchSeconds: 20, steps: 5 },
  idle: { settleSeconds: 60, seconds: 60 },
  pods: { burst: 40_000 },
  consumers: { membersPerPartition: 200, eventsPerPartition: 10_000, rounds: 5, rebalanceRounds: 5 },
  sparse: { size: { members: 200_000, intentsPerMember: 1 }, rounds: 3, peerSecondsMax: 60 },
  pending: { middle: 100_000, large: 1_000_000, deliveries: 40_000, peerSecondsMax: 15, rounds: 5 },
  memory: { members: 20_000, events: 1_000_000, leadMax: 20_000, isLong: true, secondsMax: 1_200 },
  disk: { members: 20_000, intentsPerMember: 10 },
  log: { members: 20_000_000, events: 300_000, secondsMax: 1_200 },
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
  const { load, consumers, sparse, pending } = plan;
  return {
    ...plan,
    rounds,
    load: { ...load, rounds },
    consumers: { ...consumers, rounds, rebalanceRounds: rounds },
    sparse: { ...sparse, rounds },
    pending: { ...pending, rounds },
  };
};
