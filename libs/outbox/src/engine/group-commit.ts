import type { Renewal } from '#intents/core';
import type { LaneStep, StepResult } from '#intents';
import { leaseKey } from '#intents';

import type { LaneWork } from './lane-work.js';
import type { DeliveryEffect } from './messages.js';
import type { AttemptAnswer, Observation } from './observation.js';
import { SlotMap } from './slot-map.js';

/** What the partner said, kept until it is recorded. */
interface AnswerToRecord extends AttemptAnswer {
  /** JSON text; personal. */
  readonly evidence: string;
  /** What the enrolment says, where the answer shows a pass that had been there. */
  readonly renewal: Renewal | null;
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
  readonly answer: AnswerToRecord | null;
  readonly observation: Observation | null;
}

interface Flush {
  readonly items: readonly PendingStep[];
  /** First try: a begin counts its send window from here, for it may have been committed then. */
  readonly startedAt: number;
  readonly isRetry: boolean;
  /** Failures in a row. */
  readonly failures: number;
  /** One step that the database, or we ourselves, cannot digest: it must not hold up the others. */
  readonly isDefect: boolean;
}

/** First wait before a failed group commit is repeated, and the longest. */
const flushRetryMsMin = 50;
const flushRetryMsMax = 2_000;
/** A step that cannot be recorded is tried so often, ever more rarely; after some minutes its lane is let go. */
const defectTriesMax = 12;
const defectRetryMsMax = 30_000;

/** A group commit of more lanes has the database to itself: of 20 each cost it 51 us, of 80 32 us, of 250 27 us (measured). */
const sharingLanesMax = 16;

interface FlushLimits {
  readonly flushesMax: number;
  readonly flushBatchSizeMax: number;
  readonly flushSpacingMs: number;
}

/**
 * Group commit: what is to be written waits while commits are under way and goes together in the next one, so that
 * batches grow with the load by themselves. A failed commit is repeated with the same steps until it is answered; where
 * the database was there and refused it, in halves, until the step that it cannot digest is alone.
 */
export class GroupCommit {
  private waiting: PendingStep[] = [];
  private readonly flushes = new SlotMap<Flush>();
  /** Failed flushes with the time of their next try. */
  private readonly retrying = new Map<number, number>();
  private nextFlushId = 1;
  private lastStartAt = -Infinity;

  constructor(private readonly limits: FlushLimits) {}

  add(item: PendingStep): void {
    this.waiting.push(item);
  }

  /** Steps not yet known to be written. */
  get size(): number {
    return this.waiting.length + this.flushes.entries().reduce((sum, [, { items }]) => sum + items.length, 0);
  }

  /** Commits that have been started and not answered. */
  get underWay(): number {
    return this.flushes.size - this.retrying.size;
  }

  /** The database refuses us just now: no reason to take on more. */
  get isStruggling(): boolean {
    return [...this.retrying.keys()].some((flushId) => this.flushes.get(flushId)?.isDefect === false);
  }

  /** Starts what may be started now. */
  start(now: number): DeliveryEffect[] {
    const effects: DeliveryEffect[] = [];
    for (const [flushId, retryAt] of this.retrying) {
      const flush = this.flushes.get(flushId);
      if (retryAt > now || flush === undefined || !this.hasRoom) continue;
      effects.push(this.run(flushId, { ...flush, isRetry: true }));
    }
    while (this.waiting.length > 0 && now >= this.waitsUntil() && this.hasRoom && !this.isStruggling) {
      const items = this.waiting.splice(0, this.limits.flushBatchSizeMax);
      this.lastStartAt = now;
      effects.push(this.run(this.newId(), { items, startedAt: now, isRetry: false, failures: 0, isDefect: false }));
    }
    return effects;
  }

  finish(flushId: number, results: readonly StepResult[]): FinishedStep[] {
    const flush = this.flushes.take(flushId);
    if (flush === undefined) return [];
    const byLease = new Map(results.map((result) => [leaseKey(result), result]));
    return flush.items.flatMap((item) => {
      const result = byLease.get(leaseKey(item.step));
      return result === undefined ? [] : [{ item, result, startedAt: flush.startedAt }];
    });
  }

  /** @param failure `isAway`: the database could not be reached or was busy; nothing is wrong with the steps */
  fail(flushId: number, failure: { readonly now: number; readonly isAway: boolean }): void {
    const flush = this.flushes.get(flushId);
    if (flush === undefined) return;
    const { now, isAway } = failure;
    if (!isAway && flush.items.length > 1) {
      this.halve(flushId, flush, now);
      return;
    }
    const failures = flush.failures + 1;
    const isDefect = !isAway;
    this.flushes.set(flushId, { ...flush, failures, isDefect });
    const delayMs = Math.min(isDefect ? defectRetryMsMax : flushRetryMsMax, flushRetryMsMin * 2 ** failures);
    this.retrying.set(flushId, now + delayMs);
  }

  /** Steps that cannot be recorded and are given up; when draining, all of them. Their leases end by themselves. */
  takeUnprocessable(isDraining: boolean): PendingStep[] {
    const unprocessable: PendingStep[] = [];
    for (const flushId of this.retrying.keys()) {
      const flush = this.flushes.get(flushId);
      if (flush?.isDefect !== true || (flush.failures < defectTriesMax && !isDraining)) continue;
      unprocessable.push(...flush.items);
      this.flushes.take(flushId);
      this.retrying.delete(flushId);
    }
    return unprocessable;
  }

  /** When a commit is to be started; null where none is, or only the end of another can make room for it. */
  nextStartAt(): number | null {
    if (!this.hasRoom) return null;
    const times = [...this.retrying.values()];
    if (this.waiting.length > 0 && !this.isStruggling) times.push(this.waitsUntil());
    return times.length === 0 ? null : Math.min(...times);
  }

  /** A few outcomes wait for others to share their commit; a step that begins an attempt does not wait. */
  private waitsUntil(): number {
    const isAwaited = this.waiting.length > sharingLanesMax || this.waiting.some(({ step }) => step.begin !== null);
    return isAwaited ? -Infinity : this.lastStartAt + this.limits.flushSpacingMs;
  }

  /** Another one beside a large one would make both smaller, and small ones cost the database more for each lane. */
  private get hasRoom(): boolean {
    if (this.underWay === 0) return true;
    return this.underWay < this.limits.flushesMax && this.lanesUnderWay <= sharingLanesMax;
  }

  private get lanesUnderWay(): number {
    let lanes = 0;
    for (const [flushId, { items }] of this.flushes.entries()) if (!this.retrying.has(flushId)) lanes += items.length;
    return lanes;
  }

  private halve(flushId: number, flush: Flush, now: number): void {
    this.flushes.take(flushId);
    const middle = Math.ceil(flush.items.length / 2);
    for (const items of [flush.items.slice(0, middle), flush.items.slice(middle)]) {
      const halfId = this.newId();
      this.flushes.set(halfId, { ...flush, items });
      this.retrying.set(halfId, now);
    }
  }

  private newId(): number {
    this.nextFlushId += 1;
    return this.nextFlushId;
  }

  private run(flushId: number, flush: Flush): DeliveryEffect {
    this.retrying.delete(flushId);
    this.flushes.set(flushId, flush);
    return { type: 'Flush', flushId, steps: flush.items.map((item) => item.step), isRetry: flush.isRetry };
  }
}
