import { retryDelayMs } from '#intents/core';

import type { GateAnswer } from './judge-answer.js';

/** So many calls in a row that the partner did not do its work for open the breaker. */
const failuresBeforeOpening = 5;
/** An open breaker is tried again within this time. */
const openMsMax = 30_000;

/**
 * `open`: nothing is called. `probing`: one read at a time finds out whether the partner is back. `trying`: it is, for
 * reads; one call at a time finds out about the rest. `probing` and `trying` together are what others call half-open.
 */
export type BreakerStage = 'closed' | 'open' | 'probing' | 'trying';

/** An opening, as reported to other replicas. Epoch ms. */
interface BreakerOpening {
  readonly openedAt: number;
  readonly until: number;
}

/** Since when it has not been closed, when it opened last, and when the partner last did its work. Epoch ms. */
export type BreakerHistory = Readonly<Record<'since' | 'openedAt' | 'reachedAt', number | null>>;

/**
 * The circuit breaker of one program. A read is what it probes with: an outage must not cost one more attempt with an
 * unknown outcome each time that it is found to last. Pure of clocks and chance.
 */
export class Breaker {
  private failures = 0;
  /** The rewards whose calls are among these failures; null: other calls. */
  private readonly failing = new Set<string | null>();
  private lastDelayMs = 0;
  private opening: BreakerOpening | null = null;
  /** Since when it has not been closed, however often it has opened since; null: it is closed. */
  private restingSince: number | null = null;
  private isOurs = false;
  private hasRead = false;
  private reachedAt = -Infinity;

  stage(now: number): BreakerStage {
    if (this.opening === null) return 'closed';
    if (now < this.opening.until) return 'open';
    return this.hasRead ? 'trying' : 'probing';
  }

  /** For metrics and the API. Epoch ms; null: it is closed, or the partner was not reached yet. */
  get history(): BreakerHistory {
    const { restingSince: since, opening, reachedAt } = this;
    return { since, openedAt: opening?.openedAt ?? null, reachedAt: reachedAt === -Infinity ? null : reachedAt };
  }

  /** The opening in force that this replica found out itself, or null. */
  ownOpening(now: number): BreakerOpening | null {
    return this.isOurs && this.stage(now) === 'open' ? this.opening : null;
  }

  /** When an open breaker may be tried again; 0 when it is not open. */
  openUntil(now: number): number {
    return this.stage(now) === 'open' ? (this.opening?.until ?? 0) : 0;
  }

  /** Takes in what a call showed about the partner. @param chance uniform in [0, 1) */
  heard(
    { kind, health, reward = null }: Pick<GateAnswer, 'kind' | 'health' | 'reward'>,
    now: number,
    chance: number,
  ): void {
    switch (health) {
      case 'reached':
        this.reached(now, kind);
        return;
      case 'refused':
        // A partner that refuses to be read is up all the same: one call will show whether it can be written to.
        if (this.stage(now) === 'probing') this.reached(now, 'read');
        else this.failed(now, chance, reward);
        return;
      case 'missed':
        this.failed(now, chance, reward);
        return;
      case 'cut-off':
        this.trip(now, chance);
        return;
      case 'none':
        return;
    }
  }

  /** The partner did its work. */
  reached(now: number, kind: 'read' | 'write'): void {
    this.reachedAt = now;
    this.noFailures();
    if (this.opening === null) return;
    this.hasRead = true;
    // What was under way when it opened says little; the cooldown that was decided on is kept.
    if (kind === 'read' || this.stage(now) === 'open') return;
    this.opening = null;
    this.restingSince = null;
    this.lastDelayMs = 0;
  }

  /**
   * The partner did not do its work. As long as that is so for one reward alone, its calls are held, not the partner's.
   * @param chance uniform in [0, 1) @param reward null: it was another call
   */
  failed(now: number, chance: number, reward: string | null = null): void {
    const stage = this.stage(now);
    // Calls that were under way when it opened say nothing new: a burst of them must not lengthen the cooldown.
    if (stage === 'open') return;
    this.failures += 1;
    this.failing.add(reward);
    const isOfOne = reward !== null && this.failing.size === 1;
    if (stage !== 'closed' || (this.failures >= failuresBeforeOpening && !isOfOne)) this.open(now, chance);
  }

  /** The partner cannot be called at all (no token to be had): no need to see it five times. */
  trip(now: number, chance: number): void {
    if (this.stage(now) !== 'open') this.open(now, chance);
  }

  /** Another replica's breaker has opened. A replica that has reached the partner since then knows better. */
  adopt(other: BreakerOpening, now: number): void {
    const isOver = other.until <= now || other.openedAt <= this.reachedAt;
    if (isOver || other.until <= (this.opening?.until ?? 0)) return;
    this.opening = other;
    this.restingSince ??= other.openedAt;
    this.isOurs = false;
    this.hasRead = false;
  }

  private open(now: number, chance: number): void {
    const { lastDelayMs } = this;
    this.lastDelayMs = Math.min(openMsMax, retryDelayMs({ lastDelayMs, retryAfterMs: null, chance }));
    this.opening = { openedAt: now, until: now + this.lastDelayMs };
    this.restingSince ??= now;
    this.isOurs = true;
    this.hasRead = false;
    this.noFailures();
  }

  private noFailures(): void {
    this.failures = 0;
    this.failing.clear();
  }
}
