import type { Program } from '#contracts';

import { ProgramGate } from '../gate/program-gate.js';
import type { GateLimits } from '../gate/program-gate.js';
import type { DeliverySettings } from '../settings.js';
import { Turns } from './turns.js';

/** How long a lane comes back later when too many wait for a lookup: the longer, the longer they are too many. */
const lookupDeferMsMin = 500;
const lookupDeferMsMax = 60_000;

function limitsOf(program: Program, settings: DeliverySettings): GateLimits {
  const concurrency = program.limits.concurrency ?? settings.concurrencyDefault;
  return {
    concurrency,
    lookups: Math.max(1, Math.floor(concurrency * settings.lookupShare)),
    requestsPerSecond: program.limits.requestsPerSecond,
  };
}

/** What is left of the lanes that may be held at once. */
export interface LaneRoom {
  readonly free: number;
  /** What each program may hold, whatever the others do. */
  readonly share: number;
}

/** One program's side of the delivery engine: its gate, its lanes waiting for a turn, and when to claim again. */
export class ProgramDesk {
  readonly gate: ProgramGate;
  /** Lanes whose next step is an attempt, waiting for the gate. */
  readonly ready = new Turns();
  /** Lanes whose next step is a lookup, waiting for the gate. */
  readonly lookups = new Turns();
  /** Lanes asked for by the claim under way; 0: none is. */
  asked = 0;
  nextClaimAt = 0;
  /** Lanes in our hands, in whatever stage. */
  held = 0;
  /** The program has left the programs file: what is open is finished, nothing is begun or claimed. */
  isRetired = false;
  /** How long a lane is put off that finds too many waiting for a lookup. */
  lookupDeferMs = lookupDeferMsMin;
  private isWokenMeanwhile = false;

  constructor(
    readonly name: string,
    public program: Program,
    private readonly settings: DeliverySettings,
  ) {
    this.gate = new ProgramGate(limitsOf(program, settings));
  }

  /** The programs file was read again. */
  change(program: Program): void {
    this.program = program;
    this.isRetired = false;
    this.gate.change(limitsOf(program, this.settings));
  }

  get isClaiming(): boolean {
    return this.asked > 0;
  }

  /** Half of our hands wait for lookups: more of them would keep out those that need none. */
  isCrowdedForLookups(now: number): boolean {
    return this.lookups.length >= Math.max(1, this.gate.lanesWorthHolding(now) / 2);
  }

  /** Work may be due; also what a claim under way was too early to see. */
  wake(now: number): void {
    this.nextClaimAt = Math.min(this.nextClaimAt, now);
    this.isWokenMeanwhile = this.isClaiming;
  }

  /** A claim has been answered. @param pauseMs until the next one, unless there is reason to claim at once */
  claimed(now: number, pauseMs: number): void {
    this.nextClaimAt = this.isWokenMeanwhile ? now : now + pauseMs;
    const isCrowded = this.isCrowdedForLookups(now);
    this.lookupDeferMs = isCrowded ? Math.min(lookupDeferMsMax, 2 * this.lookupDeferMs) : lookupDeferMsMin;
    this.claimEnded();
  }

  claimFailed(now: number, pauseMs: number): void {
    this.nextClaimAt = now + pauseMs;
    this.claimEnded();
  }

  /**
   * How many lanes to claim now. Small claims wait until they are worth a transaction, as long as there are lanes to
   * work on. Beyond its share a program leaves half of what is free to the others.
   */
  claimSize(now: number, { free, share }: LaneRoom): number {
    if (this.isRetired || this.isClaiming || now < this.nextClaimAt) return 0;
    const target = this.gate.lanesWorthHolding(now);
    const room = Math.min(free, Math.max(share - this.held, Math.floor(free / 2)));
    const size = Math.min(target - this.held, room, this.settings.claimBatchSizeMax);
    const worthwhile = Math.max(1, Math.min(target, this.settings.claimBatchSizeMax) / 4);
    return size < (this.held < worthwhile ? 1 : worthwhile) ? 0 : size;
  }

  /** When this desk next needs to be looked at without an event, or null. */
  nextWakeAt(now: number): number | null {
    const times = [
      this.gate.opensAt(now),
      this.ready.length > 0 ? this.gate.nextRequestAt(now) : Infinity,
      this.lookups.length > 0 ? this.gate.nextLookupAt(now) : Infinity,
      this.staleAt(this.ready),
      this.staleAt(this.lookups),
      this.isClaiming || this.isRetired ? Infinity : this.nextClaimAt,
    ];
    const next = Math.min(...times.filter((at) => at > now));
    return next === Infinity ? null : next;
  }

  /** When the first of these lanes has waited through half of its lease. */
  staleAt(turns: Turns): number {
    const first = turns.peek();
    return first === undefined ? Infinity : first.leaseUntil - this.settings.leaseMs / 2;
  }

  private claimEnded(): void {
    this.asked = 0;
    this.isWokenMeanwhile = false;
  }
}
