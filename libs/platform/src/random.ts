import { randomFillSync, randomUUID } from 'node:crypto';

/** The only source of randomness for ingest and delivery: ids, nonces, jitter. */
export abstract class Random {
  /** `count` cryptographically strong bytes. */
  abstract bytes(count: number): Uint8Array;
  /** A new UUID, as text. */
  abstract uuid(): string;
  /** Uniform in [0, 1). */
  abstract unit(): number;
}

/** One system call fills this many bytes: nonces are needed thousands of times a second. */
const poolBytes = 8_192;

/** Cryptographically strong randomness of a real process. */
export class SystemRandom implements Random {
  private readonly pool = new Uint8Array(poolBytes);
  private used = poolBytes;

  bytes(count: number): Uint8Array {
    if (count > poolBytes) return randomFillSync(new Uint8Array(count));
    if (this.used + count > poolBytes) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    this.used += count;
    return this.pool.slice(this.used - count, this.used);
  }

  uuid(): string {
    return randomUUID();
  }

  unit(): number {
    return Math.random();
  }
}

/**
 * Decorrelated jitter: uniform between the minimum and three times the last delay, cut at the maximum
 * (AWS Architecture Blog, "Exponential Backoff And Jitter").
 * @param lastDelayMs 0: there was none
 * @param chance uniform in [0, 1)
 */
export function jitteredDelayMs(
  { minMs, maxMs }: { readonly minMs: number; readonly maxMs: number },
  lastDelayMs: number,
  chance: number,
): number {
  const ceiling = Math.max(minMs, lastDelayMs) * 3;
  return Math.round(Math.min(maxMs, minMs + chance * (ceiling - minMs)));
}
