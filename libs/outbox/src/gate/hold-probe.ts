/** First wait before a call of what is held is tried, and the longest; it grows with each one that fails. */
const probeMsMin = 1_000;
const probeMsMax = 600_000;
const probeGrowth = 1.5;
/** A call that has failed since it is held is tried again after this time at the earliest: it shows least. */
const againMsMin = 30_000;
const againGrowth = 2;
/** A lane that was let through and shows nothing for so long makes room for another one. */
const slotMsMax = 60_000;
/** Deferred lanes are looked for so often where none was found. */
const recallMs = 5_000;
/** So many members must be served, and this part of those who were tried, until it is held no more. */
const servedMin = 3;
const servedShareMin = 0.1;
/** Members remembered as tried, at most. */
const triedMax = 10_000;

/**
 * Tries what delivery holds, one call at a time: a hold of ours ends by itself when the partner serves such calls again, and
 * members who are refused for their own sake hold nobody else for long. One for each hold and replica. Pure of clocks.
 */
export class HoldProbe {
  private slot: { readonly laneId: number; readonly until: number } | null = null;
  private readonly tried = new Set<number>();
  private freshAt: number;
  private freshMs = probeMsMin;
  private againAt: number;
  private againMs = againMsMin;
  private recallAt: number;
  private recalled: 'fresh' | 'tried' = 'tried';
  private served = 0;
  private failed = 0;

  constructor(now: number) {
    this.freshAt = now + probeMsMin;
    this.recallAt = this.freshAt;
    this.againAt = now + againMsMin;
  }

  /** Whether a lane may make its call now although it is held. It has the one place until it is `answered`. */
  mayCall(laneId: number, now: number): boolean {
    if (this.slot !== null && now < this.slot.until) return this.slot.laneId === laneId;
    if (now < (this.tried.has(laneId) ? this.againAt : this.freshAt)) return false;
    this.slot = { laneId, until: now + slotMsMax };
    return true;
  }

  /** Whether a call of the lane has failed since it is held. */
  wasTried(laneId: number): boolean {
    return this.tried.has(laneId);
  }

  /**
   * A call of what is held was answered, whether it was let through or under way before.
   * @param result `neither`: it shows nothing @returns whether the hold is to end
   */
  answered(laneId: number, result: 'served' | 'failed' | 'neither', now: number): boolean {
    const isProbe = this.slot?.laneId === laneId;
    if (isProbe) this.slot = null;
    if (result === 'served') {
      this.served += 1;
      this.freshMs = probeMsMin;
      this.freshAt = now;
      this.recallAt = now;
    } else if (result === 'failed') {
      if (isProbe) this.failedProbe(laneId, now);
      if (this.tried.size >= triedMax) this.tried.clear();
      this.tried.add(laneId);
    }
    return this.served >= servedMin && this.served >= servedShareMin * (this.served + this.failed);
  }

  /** Which deferred lanes one is to be taken of now, so that it can be tried; null: none. */
  recall(now: number): 'fresh' | 'tried' | null {
    if ((this.slot !== null && now < this.slot.until) || now < this.recallAt) return null;
    this.recallAt = now + recallMs;
    // By turns: where one finds no lane, the other may.
    this.recalled = this.recalled === 'fresh' && now >= this.againAt ? 'tried' : 'fresh';
    return this.recalled;
  }

  private failedProbe(laneId: number, now: number): void {
    this.failed += 1;
    if (this.tried.has(laneId)) {
      this.againAt = now + this.againMs;
      this.againMs = Math.min(probeMsMax, againGrowth * this.againMs);
      return;
    }
    this.freshAt = now + this.freshMs;
    this.recallAt = this.freshAt;
    this.freshMs = Math.min(probeMsMax, probeGrowth * this.freshMs);
  }
}
