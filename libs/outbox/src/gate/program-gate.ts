import { retryAfterMsMax } from '#intents/core';
import type { SharedGate } from '#intents';

import { AdaptiveLimit } from './adaptive-limit.js';
import type { BreakerHistory, BreakerStage } from './breaker.js';
import { Breaker } from './breaker.js';
import type { GateAnswer } from './judge-answer.js';
import type { SharedLimits, SharePlace } from './limit-share.js';
import { limitShare, TokenBucket, withoutLeased } from './limit-share.js';

/** How long the partner asked for no calls (Retry-After): of this replica, and of others. Epoch ms. */
class Cooldown {
  private ownUntilMs = 0;
  private sharedUntilMs = 0;

  get until(): number {
    return Math.max(this.ownUntilMs, this.sharedUntilMs);
  }

  /** What was asked of this replica and is still in force: the others must obey it, too. Null: nothing. */
  ownUntil(now: number): number | null {
    return this.ownUntilMs > now ? this.ownUntilMs : null;
  }

  extend(until: number): void {
    this.ownUntilMs = Math.max(this.ownUntilMs, until);
  }

  adopt(until: number): void {
    this.sharedUntilMs = Math.max(this.sharedUntilMs, until);
  }
}

/** Weight of the newest group commit in the mean over the last ones. */
const newestWeight = 0.25;

/**
 * How many attempts may be begun beyond the calls that may be under way: as many as are answered while a group commit
 * lasts, for each answer makes room for one whose begin has been recorded meanwhile. A partner that answers slowly
 * makes it none: nothing is begun that would then wait for its turn.
 */
class BeginAhead {
  private mean = 0;
  private answers = 0;

  answered(): void {
    this.answers += 1;
  }

  commitStarted(): void {
    this.answers = 0;
  }

  commitEnded(): void {
    this.mean += (this.answers - this.mean) * newestWeight;
  }

  get count(): number {
    return Math.floor(this.mean);
  }
}

/** A lane spends as long in group commits and waiting as at the partner, and a claim must arrive before it is needed. */
const lanesPerRequest = 4;

/** What one program may do at once, and how fast, over all replicas. */
export interface GateLimits extends SharedLimits {
  /** Calls at once of this replica where the programs file names no limit. */
  readonly adaptiveMax: number;
  /** Part of the calls at once that may be lookups, on top. */
  readonly lookupShare: number;
}

/** What the replicas have agreed on for one program. */
export interface GateAgreement {
  readonly place: SharePlace;
  /** Nothing is begun later than this without a new agreement: the others will take us for gone. Epoch ms. */
  readonly validUntil: number;
  readonly isPaused: boolean;
  readonly shared: SharedGate | null;
}

/** The gate as metrics and other processes are shown it. */
export interface GateState extends BreakerHistory {
  /** Calls that may be under way at once. */
  readonly limit: number;
  /** Those that are. Lookups are neither in this nor in the limit. */
  readonly inUse: number;
  readonly breaker: BreakerStage;
  /** The partner asked for a rest until then, epoch ms; null: it did not. */
  readonly cooldownUntil: number | null;
}

const alone: GateAgreement = { place: { rank: 0, count: 1 }, validUntil: Infinity, isPaused: false, shared: null };

/**
 * Decides whether a program may call the partner now: this replica's share of the limits, the adaptive limit, a token
 * bucket, Retry-After, the circuit breaker and pauses. Pure of clocks: the time comes with each question.
 */
export class ProgramGate {
  /** Under way at the partner. */
  private requests = 0;
  /** Their begin is being recorded, or they wait for a place since then. */
  private beginning = 0;
  private lookups = 0;
  private readonly ahead = new BeginAhead();
  private share: SharedLimits;
  private agreement = alone;
  private readonly bucket: TokenBucket;
  private readonly adaptive: AdaptiveLimit;
  private readonly breaker = new Breaker();
  private readonly cooldown = new Cooldown();

  constructor(private limits: GateLimits) {
    this.share = limitShare(limits, alone.place);
    this.bucket = new TokenBucket(this.share.requestsPerSecond);
    this.adaptive = new AdaptiveLimit(this.share.concurrency ?? limits.adaptiveMax);
  }

  /** A re-read programs file may bring other limits; what is under way is kept. */
  change(limits: GateLimits): void {
    this.limits = limits;
    this.divide();
  }

  agree(agreement: GateAgreement, now: number): void {
    this.agreement = agreement;
    this.divide();
    const { shared } = agreement;
    if (shared === null) return;
    this.cooldown.adopt(Math.min(shared.cooldownUntil ?? 0, now + retryAfterMsMax));
    if (shared.breakerOpenedAt === null || shared.breakerUntil === null) return;
    this.breaker.adopt({ openedAt: shared.breakerOpenedAt, until: shared.breakerUntil }, now);
  }

  /** What the other replicas must obey, too: what was found out here and is still in force. */
  news(program: string, now: number): SharedGate | null {
    const opening = this.breaker.ownOpening(now);
    const cooldownUntil = this.cooldown.ownUntil(now);
    if (opening === null && cooldownUntil === null) return null;
    return { program, cooldownUntil, breakerOpenedAt: opening?.openedAt ?? null, breakerUntil: opening?.until ?? null };
  }

  get requestsUnderWay(): number {
    return this.requests;
  }

  get lookupsUnderWay(): number {
    return this.lookups;
  }

  stateAt(now: number): GateState {
    const { breaker, cooldown, requests: inUse } = this;
    const cooldownUntil = cooldown.until > now ? cooldown.until : null;
    return { limit: this.adaptive.limit, inUse, breaker: breaker.stage(now), ...breaker.history, cooldownUntil };
  }

  /** Nothing of the program is to be held here: it is paused, or others do the work. */
  get isShut(): boolean {
    return this.agreement.isPaused || this.adaptive.limit === 0 || this.share.requestsPerSecond === 0;
  }

  /** Takes the right to begin one request: it is then `sent`, or `withdrawn`. */
  tryRequest(now: number): boolean {
    if (!this.mayBegin(now) || !this.bucket.tryTake(now)) return false;
    this.beginning += 1;
    return true;
  }

  /**
   * Takes the rights to begin so many requests at most with a claim: for places that are free now, so that what it begins is sent at
   * once, and that none of the lanes which are held already can need.
   * @returns how many; `claimEnded` says what became of them
   */
  reserve(wanted: number, held: number, now: number): number {
    if (this.breaker.stage(now) !== 'closed') return 0;
    const free = Math.floor(this.allowedRequests(now)) - Math.max(held, this.requests + this.beginning);
    const count = this.bucket.takeUpTo(Math.max(0, Math.min(wanted, free)), now);
    this.beginning += count;
    return count;
  }

  /** The claim has begun so many: each is then `sent`, or `withdrawn`. What was not answered before may be on top. */
  claimEnded(reserved: number, begun: number): void {
    this.beginning += begun - reserved;
    this.bucket.giveBack(Math.max(0, reserved - begun));
  }

  /** Whether a request that has been begun may go to the partner now. A pause since then is for what comes after it. */
  hasPlace(now: number): boolean {
    return this.requests < this.places(now) && !this.isClosed(now);
  }

  /** A begun request is under way until it is `finished`. */
  sent(): void {
    this.beginning -= 1;
    this.requests += 1;
  }

  /** A begun request does not go to the partner after all. */
  withdrawn(): void {
    this.beginning -= 1;
  }

  /** A group commit has started: attempts are begun in it. */
  commitStarted(): void {
    this.ahead.commitStarted();
  }

  commitEnded(): void {
    this.ahead.commitEnded();
  }

  /** Whether another lookup may be under way, apart from the rate. */
  hasLookupRoom(now: number): boolean {
    return this.lookups < this.allowedLookups(now);
  }

  /** Takes the right to one lookup, given back by `lookupFinished`. */
  tryLookup(now: number): boolean {
    if (!this.hasLookupRoom(now) || !this.bucket.tryTake(now)) return false;
    this.lookups += 1;
    return true;
  }

  /** A lookup that has its turn may be two calls, one after the other: the rate counts both. */
  secondCallFollows(): void {
    this.bucket.owe();
  }

  finished(): void {
    this.requests -= 1;
    this.ahead.answered();
  }

  lookupFinished(): void {
    this.lookups -= 1;
  }

  /** A call has ended. @param chance uniform in [0, 1) */
  answered({ retryAfterMs, sample, ...shown }: GateAnswer, now: number, chance: number): void {
    this.breaker.heard(shown, now, chance);
    if (shown.health !== 'none') this.adaptive.answered({ ...sample, at: now, underWay: this.requests + 1 });
    if (retryAfterMs !== null) this.cooldown.extend(now + Math.min(retryAfterMs, retryAfterMsMax));
  }

  /** When a refused request may be allowed; Infinity where that depends on something else than time. */
  nextRequestAt(now: number): number {
    return this.mayBegin(now) ? this.bucket.nextAt(now) : Infinity;
  }

  /** When a refused lookup may be allowed; Infinity where that depends on something else than time. */
  nextLookupAt(now: number): number {
    return this.hasLookupRoom(now) ? this.bucket.nextAt(now) : Infinity;
  }

  /** When a closed gate opens; Infinity when it is open. */
  opensAt(now: number): number {
    const at = Math.max(this.cooldown.until, this.breaker.openUntil(now));
    return at > now ? at : Infinity;
  }

  isClosed(now: number): boolean {
    return this.opensAt(now) !== Infinity;
  }

  /** Only a read may find out whether the partner is back. */
  isProbing(now: number): boolean {
    return this.breaker.stage(now) === 'probing';
  }

  /**
   * How many lanes are worth being held: enough that requests never wait for a claim or a group commit, no more than
   * can be served within a second or two.
   */
  lanesWorthHolding(now: number): number {
    const calls = this.isProbing(now) ? this.allowedLookups(now) : this.allowedRequests(now);
    const served = lanesPerRequest * calls;
    const { requestsPerSecond } = this.share;
    if (requestsPerSecond === null || served === 0) return served;
    return Math.min(served, Math.max(1, Math.ceil(requestsPerSecond * 2)));
  }

  private divide(): void {
    const { place, shared } = this.agreement;
    this.share = limitShare(withoutLeased(this.limits, shared?.leasedRate ?? 0), place);
    this.bucket.change(this.share.requestsPerSecond);
    this.adaptive.change(this.share.concurrency ?? this.limits.adaptiveMax);
  }

  private mayCall(now: number): boolean {
    return !this.isShut && now <= this.agreement.validUntil && !this.isClosed(now);
  }

  /** Those beyond the calls that may be under way find their place by the time they are recorded. */
  private mayBegin(now: number): boolean {
    const places = this.allowedRequests(now);
    const ahead = this.breaker.stage(now) === 'closed' ? Math.min(places, this.ahead.count) : 0;
    return this.requests + this.beginning < places + ahead;
  }

  private allowedRequests(now: number): number {
    return this.mayCall(now) ? this.places(now) : 0;
  }

  /** As far as the partner can bear it. */
  private places(now: number): number {
    switch (this.breaker.stage(now)) {
      case 'closed':
        return this.adaptive.limit;
      case 'trying':
        return 1;
      case 'probing':
      case 'open':
        return 0;
    }
  }

  private allowedLookups(now: number): number {
    if (!this.mayCall(now)) return 0;
    if (this.breaker.stage(now) !== 'closed') return 1;
    return Math.max(1, Math.floor(this.adaptive.limit * this.limits.lookupShare));
  }
}
