/** What the bucket holds, in seconds of the rate. */
export const bucketSeconds = 0.1;

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

  /** When the next token is there; Infinity: never at this rate. */
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
