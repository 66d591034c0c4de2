import { retryDelayMs } from '#domain';

/** So many calls in a row that never reached the partner close the gate for a while. */
const failuresBeforeClosing = 5;
/** A closed gate is tried again within this time. */
const closedMsMax = 30_000;

/** What the token bucket holds, in seconds of the rate. */
const bucketSeconds = 0.1;

/** A lane spends as long in group commits and waiting as at the partner, and a claim must arrive before it is needed. */
const lanesPerRequest = 4;

/** What one program may do at once, and how fast. */
export interface GateLimits {
  readonly concurrency: number;
  readonly lookups: number;
  /** null: no limit of ours. */
  readonly requestsPerSecond: number | null;
}

/**
 * Decides whether a program may call the partner now: requests under way, a token bucket, Retry-After, and a rest after
 * calls that did not reach it. Pure of clocks: the time comes with each question.
 */
export class ProgramGate {
  private requests = 0;
  private lookups = 0;
  private tokens: number;
  private refilledAt = 0;
  private closedUntil = 0;
  private failures = 0;
  private lastDelayMs = 0;

  constructor(private limits: GateLimits) {
    this.tokens = limits.requestsPerSecond ?? 0;
  }

  /** A re-read programs file may bring other limits; what is under way is kept. */
  change(limits: GateLimits): void {
    this.limits = limits;
  }

  get requestsUnderWay(): number {
    return this.requests;
  }

  get lookupsUnderWay(): number {
    return this.lookups;
  }

  /** Takes the right to one request, given back by `finished`. */
  tryRequest(now: number): boolean {
    if (now < this.closedUntil || this.requests >= this.allowedRequests() || !this.takeToken(now)) return false;
    this.requests += 1;
    return true;
  }

  /** Takes the right to one lookup, given back by `lookupFinished`. */
  tryLookup(now: number): boolean {
    if (now < this.closedUntil || this.lookups >= this.allowedLookups() || !this.takeToken(now)) return false;
    this.lookups += 1;
    return true;
  }

  finished(): void {
    this.requests -= 1;
  }

  lookupFinished(): void {
    this.lookups -= 1;
  }

  /** The partner answered, whatever it said. */
  reached(): void {
    this.failures = 0;
    this.lastDelayMs = 0;
  }

  /** A call did not reach the partner. @param chance uniform in [0, 1) */
  missed(now: number, chance: number): void {
    this.failures += 1;
    // Calls that were under way when it closed say nothing new: a burst of them must not lengthen the rest.
    if (this.failures < failuresBeforeClosing || this.isClosed(now)) return;
    this.lastDelayMs = Math.min(
      closedMsMax,
      retryDelayMs({ lastDelayMs: this.lastDelayMs, retryAfterMs: null, chance }),
    );
    this.closedUntil = Math.max(this.closedUntil, now + this.lastDelayMs);
  }

  /** The partner asked for a rest (Retry-After, already clamped). */
  restUntil(at: number): void {
    this.closedUntil = Math.max(this.closedUntil, at);
  }

  /** When a refused request may be allowed; Infinity where that depends on the end of another one only. */
  nextRequestAt(now: number): number {
    return this.requests < this.allowedRequests() ? this.nextTokenAt(now) : Infinity;
  }

  /** When a refused lookup may be allowed; Infinity where that depends on the end of another one only. */
  nextLookupAt(now: number): number {
    return this.lookups < this.allowedLookups() ? this.nextTokenAt(now) : Infinity;
  }

  /** When a closed gate opens; Infinity when it is open. */
  opensAt(now: number): number {
    return this.isClosed(now) ? this.closedUntil : Infinity;
  }

  isClosed(now: number): boolean {
    return now < this.closedUntil;
  }

  /**
   * How many lanes are worth being held: enough that requests never wait for a claim or a group commit, no more than
   * can be served within a second or two.
   */
  lanesWorthHolding(now: number): number {
    if (this.isClosed(now)) return 0;
    const served = lanesPerRequest * this.allowedRequests();
    const { requestsPerSecond } = this.limits;
    return requestsPerSecond === null ? served : Math.min(served, Math.max(1, Math.ceil(requestsPerSecond * 2)));
  }

  /** After failures one request at a time finds out whether the partner is back. */
  private allowedRequests(): number {
    return this.isProbing() ? 1 : this.limits.concurrency;
  }

  private allowedLookups(): number {
    return this.isProbing() ? 1 : this.limits.lookups;
  }

  private isProbing(): boolean {
    return this.failures >= failuresBeforeClosing;
  }

  private nextTokenAt(now: number): number {
    if (this.isClosed(now)) return this.closedUntil;
    const { requestsPerSecond } = this.limits;
    if (requestsPerSecond === null || this.tokens >= 1) return now;
    return Math.max(now, Math.ceil(this.refilledAt + ((1 - this.tokens) * 1_000) / requestsPerSecond));
  }

  private takeToken(now: number): boolean {
    const { requestsPerSecond } = this.limits;
    if (requestsPerSecond === null) return true;
    const refill = (Math.max(0, now - this.refilledAt) * requestsPerSecond) / 1_000;
    // A small bucket: a burst and what flows in meanwhile must not add up to twice the limit within its own second. Of
    // low rates it holds one token, or none would ever be whole.
    const held = Math.max(1, requestsPerSecond * bucketSeconds);
    this.tokens = Math.min(held, this.refilledAt === 0 ? held : this.tokens + refill);
    this.refilledAt = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
