import type { AttemptOutcome } from '#domain';
import type { LaneStep, StepResult } from '#intents';

import type { DeliveryEffect } from './delivery-effect.js';
import type { LaneWork } from './lane-work.js';
import { leaseKey } from './lease.js';
import type { Observation } from './observation.js';

/** What the partner said, kept until it is recorded. */
export interface AttemptAnswer {
  readonly seq: number;
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  /** JSON text; personal. */
  readonly evidence: string;
}

/** One step with its result. */
export interface FinishedStep {
  readonly item: PendingStep;
  readonly result: StepResult;
  readonly startedAt: number;
}

/** A step on its way into the database, with what must be known when it has been written. */
export interface PendingStep {
  readonly step: LaneStep;
  /** The lane as it is once the completion is recorded (equal to the lane before when there is none). */
  readonly completed: LaneWork;
  /** The attempt's answer, for a late outcome when the step is fenced; null when nothing was sent. */
  readonly answer: AttemptAnswer | null;
  readonly observation: Observation | null;
}

interface Flush {
  readonly items: readonly PendingStep[];
  /** First try: a begin counts its send window from here, for it may have been committed then. */
  readonly startedAt: number;
  readonly isRetry: boolean;
}

/** First wait before a failed group commit is repeated, and the longest. */
const flushRetryMsMin = 50;
const flushRetryMsMax = 2_000;

export interface FlushLimits {
  readonly flushesMax: number;
  readonly flushBatchSizeMax: number;
}

/**
 * Group commit: what is to be written waits while commits are under way and goes together in the next one, so that
 * batches grow with the load by themselves. A failed commit is repeated with the same steps until it is answered.
 */
export class FlushQueue {
  private waiting: PendingStep[] = [];
  private readonly flushes = new Map<number, Flush>();
  private readonly failed: { readonly flushId: number; readonly retryAt: number }[] = [];
  private nextFlushId = 1;
  private failuresInARow = 0;

  constructor(private readonly limits: FlushLimits) {}

  add(item: PendingStep): void {
    this.waiting.push(item);
  }

  /** Steps not yet known to be written. */
  get size(): number {
    return this.waiting.length + [...this.flushes.values()].reduce((sum, flush) => sum + flush.items.length, 0);
  }

  /** The database refuses us just now: no reason to take on more. */
  get isStruggling(): boolean {
    return this.failed.length > 0;
  }

  /** Starts what may be started now. */
  start(now: number): DeliveryEffect[] {
    const effects: DeliveryEffect[] = [];
    while (this.failed[0] !== undefined && this.failed[0].retryAt <= now) {
      const { flushId } = this.failed[0];
      this.failed.shift();
      const flush = this.flushes.get(flushId);
      if (flush !== undefined) effects.push(this.run(flushId, { ...flush, isRetry: true }));
    }
    while (this.waiting.length > 0 && this.flushes.size < this.limits.flushesMax && !this.isStruggling) {
      const items = this.waiting.splice(0, this.limits.flushBatchSizeMax);
      effects.push(this.run(this.nextFlushId++, { items, startedAt: now, isRetry: false }));
    }
    return effects;
  }

  finish(flushId: number, results: readonly StepResult[]): FinishedStep[] {
    const flush = this.flushes.get(flushId);
    if (flush === undefined) return [];
    this.flushes.delete(flushId);
    this.failuresInARow = 0;
    const byLease = new Map(results.map((result) => [leaseKey(result), result]));
    return flush.items.flatMap((item) => {
      const result = byLease.get(leaseKey(item.step));
      return result === undefined ? [] : [{ item, result, startedAt: flush.startedAt }];
    });
  }

  fail(flushId: number, now: number): void {
    this.failuresInARow += 1;
    const delayMs = Math.min(flushRetryMsMax, flushRetryMsMin * 2 ** Math.min(this.failuresInARow, 10));
    this.failed.push({ flushId, retryAt: now + delayMs });
  }

  /** When a failed commit is to be repeated, or null. */
  nextRetryAt(): number | null {
    return this.failed[0]?.retryAt ?? null;
  }

  private run(flushId: number, flush: Flush): DeliveryEffect {
    this.flushes.set(flushId, flush);
    return { type: 'Flush', flushId, steps: flush.items.map((item) => item.step), isRetry: flush.isRetry };
  }
}
