/** One call of the partner that has ended. */
export interface CallSample {
  readonly operation: string;
  readonly durationMs: number;
  /** When it ended, epoch ms. */
  readonly at: number;
  /** `overload`: refused for too many requests, timed out, unavailable. `silent`: says nothing about the load. */
  readonly signal: 'ok' | 'overload' | 'silent';
  /** Calls under way when it ended, itself included. */
  readonly underWay: number;
}

/** A baseline that was not confirmed for one to two of these is forgotten. */
const baselineEpochMs = 30_000;
/** Fewer answers of one operation say nothing about its latency. */
const samplesMin = 8;
/** A baseline that rises by this much is another partner, so to speak: what was learned about it is void. */
const slowerFactor = 1.5;

interface Sum {
  readonly count: number;
  readonly totalMs: number;
}

/**
 * How long each operation takes when the partner has nothing else to do: the lowest mean of a window within the last
 * minute or so. Means, not single answers: operations that sometimes answer from a cache would look slow ever after.
 */
class LatencyBaseline {
  private current = new Map<string, number>();
  private previous = new Map<string, number>();
  private open = new Map<string, Sum>();

  add(operation: string, durationMs: number): void {
    const { count, totalMs } = this.open.get(operation) ?? { count: 0, totalMs: 0 };
    const sum = { count: count + 1, totalMs: totalMs + durationMs };
    if (sum.count < samplesMin) {
      this.open.set(operation, sum);
      return;
    }
    this.open.delete(operation);
    const mean = sum.totalMs / sum.count;
    this.current.set(operation, Math.min(mean, this.current.get(operation) ?? Infinity));
  }

  /** Milliseconds; null: not known yet. */
  of(operation: string): number | null {
    const known = [this.current.get(operation), this.previous.get(operation)].filter((ms) => ms !== undefined);
    return known.length === 0 ? null : Math.min(...known);
  }

  /** Begins a new epoch. @returns whether some operation is slower for good */
  roll(): boolean {
    const before = this.operations().map((operation) => ({ operation, ms: this.of(operation) ?? Infinity }));
    this.previous = this.current;
    this.current = new Map();
    return before.some(({ operation, ms }) => (this.previous.get(operation) ?? 0) > ms * slowerFactor);
  }

  private operations(): string[] {
    return [...new Set([...this.current.keys(), ...this.previous.keys()])];
  }
}

/** Judged after as many answers as may be under way, about one round trip; after this time fewer will do. */
const windowSamplesMin = 10;
const windowMsMax = 500;

/** About one round trip's worth of answers, held against what the same calls take without load. */
class LatencyWindow {
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

/** Where a new or long idle program begins. */
const limitStart = 16;
/** Latency alone never takes us below: a partner that is slow for another reason is still served. */
const limitMinByLatency = 4;
/** Part of the limit that must have been used for it to be worth raising. */
const usedShareMin = 0.75;
/** Latency counts as congestion beyond this multiple of the baseline, if it is at least so much longer. */
const slownessMax = 2;
const latencySlackMs = 100;
const backoffByLatencyLeast = 0.9;
const backoffMost = 0.5;
/** At the beginning of an epoch half of the limit shows what the partner's latency is without our queue. */
const probeWindows = 2;
const probeMsMax = 2_000;

/**
 * How many calls of one program may be under way: additive increase, multiplicative decrease (Chiu and Jain 1989) with
 * TCP's slow start, and the delay of Netflix' Gradient2 as a signal beside refusals and timeouts. As in Envoy's
 * gradient controller the baseline is measured with less load now and then: a moving average would get used to a queue
 * of our own making. Why not Vegas or Gradient2 themselves: both take milliseconds of our own event loop for the
 * partner's queue and stay at a tenth of what an instant partner can take (docs/decisions).
 */
export class AdaptiveLimit {
  private exact: number;
  private isSlowStart = true;
  private window = new LatencyWindow();
  private reducedAt = -Infinity;
  private epochAt: number | null = null;
  private probing: { windowsLeft: number; readonly until: number } | null = null;
  private readonly baseline = new LatencyBaseline();

  constructor(private max: number) {
    this.exact = Math.min(limitStart, max);
  }

  /** At least 1 unless nothing at all is allowed. */
  get limit(): number {
    const whole = Math.floor(this.exact);
    return Math.min(this.max, Math.max(1, this.probing === null ? whole : Math.ceil(whole / 2)));
  }

  /** What this replica may do at most has changed. */
  change(max: number): void {
    // A limit that was held down by the old maximum has not found the partner's own yet.
    if (this.exact >= this.max && max > this.max) this.isSlowStart = true;
    this.max = max;
    this.exact = Math.max(1, Math.min(this.exact, max));
  }

  answered(sample: CallSample): void {
    this.startEpoch(sample.at);
    if (sample.signal === 'overload') this.reduce(sample);
    if (sample.signal !== 'ok') return;
    const expectedMs = this.baseline.of(sample.operation);
    this.baseline.add(sample.operation, sample.durationMs);
    this.window.add(sample, expectedMs);
    if (this.window.isFull(sample.at, this.limit)) this.judge(sample.at);
  }

  private judge(now: number): void {
    const { slowness, excessMs, underWayMax } = this.window;
    this.window = new LatencyWindow();
    if (this.isProbing(now)) return;
    if (slowness > slownessMax && excessMs > latencySlackMs) this.shrinkForLatency(slowness, now);
    else if (underWayMax >= this.exact * usedShareMin) this.grow();
  }

  private grow(): void {
    this.exact = Math.min(this.max, this.isSlowStart ? this.exact * 2 : this.exact + 1);
  }

  /** By how much it is too slow, within bounds: the gradient of Gradient2. */
  private shrinkForLatency(slowness: number, now: number): void {
    const factor = Math.max(backoffMost, Math.min(backoffByLatencyLeast, slownessMax / slowness));
    this.shrink(factor, Math.min(limitMinByLatency, this.exact), now);
  }

  /** Once per round trip: calls that were under way when the limit was lowered say nothing new. */
  private reduce({ at, durationMs }: CallSample): void {
    if (at - durationMs < this.reducedAt) return;
    this.shrink(backoffMost, 1, at);
    this.window = new LatencyWindow();
  }

  private shrink(factor: number, least: number, now: number): void {
    this.exact = Math.max(least, this.exact * factor);
    this.isSlowStart = false;
    this.reducedAt = now;
  }

  private startEpoch(now: number): void {
    this.epochAt ??= now;
    if (now < this.epochAt + baselineEpochMs) return;
    this.epochAt = now;
    // Slower for good, although a lower limit was tried: then it is not our load.
    if (this.baseline.roll()) this.isSlowStart = true;
    this.probing = { windowsLeft: probeWindows, until: now + probeMsMax };
    this.window = new LatencyWindow();
  }

  /** Counts down the windows of a probe. */
  private isProbing(now: number): boolean {
    if (this.probing === null) return false;
    this.probing.windowsLeft -= 1;
    if (this.probing.windowsLeft === 0 || now >= this.probing.until) this.probing = null;
    return true;
  }
}
