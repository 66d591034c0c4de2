import type { CallSample } from './call-sample.js';

/** Judged after as many answers as may be under way, about one round trip; after this time fewer will do. */
const windowSamplesMin = 10;
const windowMsMax = 500;

/** About one round trip's worth of answers, held against what the same calls take without load. */
export class LatencyWindow {
  private since: number | null = null;
  private samples = 0;
  private totalMs = 0;
  private expectedMs = 0;
  /** Most calls under way at once. */
  underWayMax = 0;

  /** @param expectedMs what the call takes without load; null: not known, it only counts */
  add({ at, durationMs, underWay }: CallSample, expectedMs: number | null): void {
    this.since ??= at;
    this.samples += 1;
    this.underWayMax = Math.max(this.underWayMax, underWay);
    this.totalMs += expectedMs === null ? 0 : durationMs;
    this.expectedMs += expectedMs ?? 0;
  }

  isFull(now: number, limit: number): boolean {
    const isRoundTrip = this.samples >= limit || now >= (this.since ?? now) + windowMsMax;
    return isRoundTrip && this.samples >= windowSamplesMin;
  }

  /** How many times as long as without load. */
  get slowness(): number {
    return this.expectedMs === 0 ? 1 : this.totalMs / this.expectedMs;
  }

  /** How much longer a call took than without load, on average. */
  get excessMs(): number {
    return this.samples === 0 ? 0 : (this.totalMs - this.expectedMs) / this.samples;
  }
}
