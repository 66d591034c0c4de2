import type { Program } from '#contracts';

import { ProgramGate } from '../gate/program-gate.js';
import type { GateLimits } from '../gate/program-gate.js';
import type { DeliverySettings } from '../settings.js';
import type { LaneWork } from './lane-work.js';

function limitsOf(program: Program, settings: DeliverySettings): GateLimits {
  const concurrency = program.limits.concurrency ?? settings.concurrencyDefault;
  return {
    concurrency,
    lookups: Math.max(1, Math.floor(concurrency * settings.lookupShare)),
    requestsPerSecond: program.limits.requestsPerSecond,
  };
}

/** Lanes that wait for their turn: a queue that gives up the front in constant time on average. */
class Turns {
  private items: LaneWork[] = [];
  private front = 0;

  add(work: LaneWork): void {
    this.items.push(work);
  }

  peek(): LaneWork | undefined {
    return this.items[this.front];
  }

  take(): LaneWork | undefined {
    const work = this.items[this.front];
    if (work === undefined) return undefined;
    this.front += 1;
    if (this.front * 2 > this.items.length) {
      this.items = this.items.slice(this.front);
      this.front = 0;
    }
    return work;
  }

  get length(): number {
    return this.items.length - this.front;
  }
}

/** One program's side of the delivery engine: its gate, its lanes waiting for a turn, and when to claim again. */
export class ProgramDesk {
  readonly gate: ProgramGate;
  /** Lanes whose next step is an attempt, waiting for the gate. */
  readonly ready = new Turns();
  /** Lanes whose next step is a lookup, waiting for the gate. */
  readonly lookups = new Turns();
  isClaiming = false;
  nextClaimAt = 0;
  /** Lanes in our hands, in whatever stage. */
  held = 0;

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
    this.gate.change(limitsOf(program, this.settings));
  }

  /** How many lanes to claim now. Small claims wait until they are worth a transaction. */
  claimSize(now: number, freeLanes: number): number {
    if (this.isClaiming || now < this.nextClaimAt) return 0;
    const target = this.gate.lanesWorthHolding(now);
    const size = Math.min(target - this.held, freeLanes, this.settings.claimBatchSizeMax);
    return size < Math.max(1, Math.min(target, this.settings.claimBatchSizeMax) / 4) ? 0 : Math.floor(size);
  }

  /** When this desk next needs to be looked at without an event, or null. */
  nextWakeAt(now: number): number | null {
    const isBlocked = this.ready.length > 0 || this.lookups.length > 0 || this.gate.isClosed(now);
    const gateAt = isBlocked ? this.gate.nextChanceAt(now) : null;
    const claimAt = this.isClaiming ? null : this.nextClaimAt;
    const times = [gateAt, claimAt].filter((at): at is number => at !== null && at > now);
    return times.length === 0 ? null : Math.min(...times);
  }
}
