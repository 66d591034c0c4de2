import { ShareCredit } from '../gate/share-credit.js';

/** How many lanes wait for each kind of turn. */
export interface WaitingTurns {
  readonly live: number;
  readonly replays: number;
  readonly lookups: number;
  readonly replayLookups: number;
}

/** Part of the turns, above 0 and at most 1, that each kind may have while others wait. */
export interface TurnShares {
  readonly replays: number;
  readonly lookups: number;
}

/**
 * Whose turn it is when turns are scarce: live traffic before replays, lookups in between. A share is a promise to the
 * others, no ceiling: who waits alone gets everything.
 */
export class TurnOrder {
  private readonly replays: ShareCredit;
  private readonly lookups: ShareCredit;
  /** The replays' part of the lookups. */
  private readonly replayLookups: ShareCredit;

  constructor(shares: TurnShares) {
    this.replays = new ShareCredit(shares.replays);
    this.lookups = new ShareCredit(shares.lookups);
    this.replayLookups = new ShareCredit(shares.replays);
  }

  change(shares: TurnShares): void {
    this.replays.change(shares.replays);
    this.lookups.change(shares.lookups);
    this.replayLookups.change(shares.replays);
  }

  isLookupDue({ live, replays, lookups, replayLookups }: WaitingTurns): boolean {
    return lookups + replayLookups > 0 && (live + replays === 0 || this.lookups.mayTakeTurn);
  }

  /** Where a lookup is due: whether it is a replay's. */
  isReplayLookupDue({ lookups, replayLookups }: WaitingTurns): boolean {
    return replayLookups > 0 && (lookups === 0 || this.replayLookups.mayTakeTurn);
  }

  isReplayDue({ live, replays }: WaitingTurns): boolean {
    return replays > 0 && this.mayReplay(live);
  }

  /** Whether a replay may begin although so many live lanes wait. */
  mayReplay(live: number): boolean {
    return live === 0 || this.replays.mayTakeTurn;
  }

  /** @param waiting before the turn was taken */
  tookLookup(isReplay: boolean, { live, replays, lookups }: WaitingTurns): void {
    if (live + replays > 0) this.lookups.spend();
    if (!isReplay) this.replayLookups.earn();
    else if (lookups > 0) this.replayLookups.spend();
  }

  /** @param live lanes that wait for a live turn meanwhile */
  tookRequest(isReplay: boolean, live: number): void {
    this.lookups.earn();
    if (!isReplay) this.replays.earn();
    else if (live > 0) this.replays.spend();
  }
}
