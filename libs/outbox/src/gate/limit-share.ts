import type { OtherReplica } from '#intents';

/** What the bucket holds, in seconds of the rate. */
const bucketSeconds = 0.1;

/** A program's limits over all replicas; null: none. */
export interface SharedLimits {
  readonly concurrency: number | null;
  readonly requestsPerSecond: number | null;
}

/** What this replica may do of it. Zero: nothing, others do the work. */
type LimitShare = SharedLimits;

/** Where a replica stands among those that share a program's limits. */
export interface SharePlace {
  /** 0 for the first. */
  readonly rank: number;
  readonly count: number;
}

interface Candidate {
  readonly replicaId: string;
  /** null: alive, but not at work on the program. */
  readonly since: number | null;
}

function bySeniority(one: Candidate, other: Candidate): number {
  const difference = (one.since ?? Infinity) - (other.since ?? Infinity);
  // Infinity minus itself is no number: two that are not at work.
  if (difference !== 0 && !Number.isNaN(difference)) return difference;
  return one.replicaId < other.replicaId ? -1 : 1;
}

/**
 * A replica at work shares with those at work. One that is not yet must assume that all who know the program come to work
 * in the same moment as itself, until its next report has named it: so newcomers together never take more than the limit
 * once. The longest at work ranks first: a newcomer displaces none.
 */
export function sharePlace(program: string, self: Candidate, others: readonly OtherReplica[]): SharePlace {
  const all = others.flatMap(({ replicaId, programs }) => {
    const since = programs[program];
    // A replica with another programs file, or on its way out, would keep its place empty.
    return since === undefined ? [] : [{ replicaId, since }];
  });
  const counted = self.since === null ? all : all.filter(({ since }) => since !== null);
  const ranked = [...counted, self].sort(bySeniority);
  return { rank: ranked.indexOf(self), count: ranked.length };
}

/** What the quota leases of jobs that read at the program leave of its limit. */
export function withoutLeased({ concurrency, requestsPerSecond }: SharedLimits, leasedRate: number): SharedLimits {
  if (requestsPerSecond === null) return { concurrency, requestsPerSecond };
  return { concurrency, requestsPerSecond: Math.max(0, requestsPerSecond - leasedRate) };
}

/** Each sender's bucket may hold a token: more senders than this would add up to a burst beyond the limit. */
function sendersMax({ concurrency, requestsPerSecond }: SharedLimits): number {
  const byRate = requestsPerSecond === null ? Infinity : Math.max(1, Math.floor(requestsPerSecond * bucketSeconds));
  return Math.min(byRate, concurrency ?? Infinity);
}

/**
 * Divides whole numbers without rest: the shares of all places add up to the limit, exactly. Where a limit is too small
 * to be divided, only the first places send.
 */
export function limitShare(limits: SharedLimits, { rank, count }: SharePlace): LimitShare {
  const { concurrency, requestsPerSecond } = limits;
  const senders = Math.min(count, sendersMax(limits));
  const isSender = rank < senders;
  const placesOf = (total: number): number => Math.floor(total / senders) + (rank < total % senders ? 1 : 0);
  return {
    concurrency: concurrency === null ? null : isSender ? placesOf(concurrency) : 0,
    requestsPerSecond: requestsPerSecond === null ? null : isSender ? requestsPerSecond / senders : 0,
  };
}

/**
 * A token bucket that is small on purpose: a burst and what flows in meanwhile must not add up to twice the limit
 * within its own second. Of low rates it holds one token, or none would ever be whole. Pure of clocks.
 */
export class TokenBucket {
  private tokens: number;
  private refilledAt: number | null = null;

  /** @param rate tokens per second; null: no limit */
  constructor(private rate: number | null) {
    this.tokens = this.capacity;
  }

  /** Keeps what is in the bucket, as far as it fits: a changed rate is no reason for a burst. */
  change(rate: number | null): void {
    this.rate = rate;
    this.tokens = Math.min(this.tokens, this.capacity);
  }

  tryTake(now: number): boolean {
    if (this.rate === null) return true;
    this.refill(now, this.rate);
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** Takes as many as there are, `wanted` at most. @returns how many */
  takeUpTo(wanted: number, now: number): number {
    if (this.rate === null) return wanted;
    this.refill(now, this.rate);
    const taken = Math.max(0, Math.min(wanted, Math.floor(this.tokens)));
    this.tokens -= taken;
    return taken;
  }

  /** What was taken, and not used. */
  giveBack(count: number): void {
    if (this.rate !== null) this.tokens = Math.min(this.capacity, this.tokens + count);
  }

  /** Takes a token that may not be there yet: who comes next waits for it. */
  owe(): void {
    if (this.rate !== null) this.tokens -= 1;
  }

  /** When the next token exists; Infinity: never at this rate. */
  nextAt(now: number): number {
    if (this.rate === null || this.tokens >= 1) return now;
    if (this.rate <= 0) return Infinity;
    return Math.max(now, Math.ceil((this.refilledAt ?? now) + ((1 - this.tokens) * 1_000) / this.rate));
  }

  private get capacity(): number {
    if (this.rate === null) return Infinity;
    return this.rate <= 0 ? 0 : Math.max(1, this.rate * bucketSeconds);
  }

  private refill(now: number, rate: number): void {
    const elapsedMs = this.refilledAt === null ? 0 : Math.max(0, now - this.refilledAt);
    this.tokens = Math.min(this.capacity, this.tokens + (elapsedMs * rate) / 1_000);
    this.refilledAt = now;
  }
}
