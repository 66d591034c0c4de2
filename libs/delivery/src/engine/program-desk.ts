import type { Program } from '#contracts';

import type { GateLimits } from '../gate/program-gate.js';
import { ProgramGate } from '../gate/program-gate.js';
import { ProgramPauses, RefusalStreaks } from '../gate/program-pauses.js';
import type { DeliverySettings } from '../settings.js';
import type { DeskTurn } from './desk-queues.js';
import { DeskQueues } from './desk-queues.js';
import type { TurnShares } from './turn-order.js';
import type { Turns } from './turns.js';

function limitsOf({ limits }: Program, settings: DeliverySettings): GateLimits {
  const { concurrency, requestsPerSecond } = limits;
  const { concurrencyAdaptiveMax: adaptiveMax, lookupShare } = settings;
  return { concurrency, requestsPerSecond, adaptiveMax, lookupShare };
}

function sharesOf({ limits }: Program, { lookupShare }: DeliverySettings): TurnShares {
  return { replays: limits.replayShare, lookups: lookupShare };
}

/** What is left of the lanes that may be held at once. */
interface LaneRoom {
  readonly free: number;
  /** What each program may hold, whatever the others do. */
  readonly share: number;
}

/** One program's side of the delivery engine: its gate, its lanes waiting for a turn, and when to claim again. */
export class ProgramDesk {
  readonly gate: ProgramGate;
  readonly pauses: ProgramPauses;
  readonly refusals: RefusalStreaks;
  readonly queues: DeskQueues;
  /** Lanes asked for by the claim under way; 0: none is. */
  asked = 0;
  nextClaimAt = 0;
  /** Lanes in our hands, in whatever stage. */
  held = 0;
  /** The program has left the programs file: what is open is finished, nothing is begun or claimed. */
  isRetired = false;
  /** Since when this replica works on the program; null: it does not. Epoch ms. */
  atWorkSince: number | null = null;
  private lastWorkAt = 0;
  private isWokenMeanwhile = false;

  constructor(
    readonly name: string,
    public program: Program,
    private readonly settings: DeliverySettings,
  ) {
    this.gate = new ProgramGate(limitsOf(program, settings));
    this.pauses = new ProgramPauses(name);
    this.refusals = new RefusalStreaks(program.autoPause.sameRefusals);
    this.queues = new DeskQueues(sharesOf(program, settings));
  }

  /** The programs file was read again. */
  change(program: Program): void {
    this.program = program;
    this.isRetired = false;
    this.gate.change(limitsOf(program, this.settings));
    this.refusals.change(program.autoPause.sameRefusals);
    this.queues.change(sharesOf(program, this.settings));
  }

  get isClaiming(): boolean {
    return this.asked > 0;
  }

  /** @returns whether the program has just been taken up, which the other replicas should know */
  noteWork(now: number, atWorkForMs: number): boolean {
    if (this.held > 0) {
      const isNew = this.atWorkSince === null;
      this.lastWorkAt = now;
      this.atWorkSince ??= now;
      return isNew;
    }
    if (now > this.lastWorkAt + atWorkForMs) this.atWorkSince = null;
    return false;
  }

  /** The next lane that may call the partner now, or null. */
  nextTurn(now: number): DeskTurn | null {
    return this.queues.next(this.gate, now);
  }

  /** Work may be due; also what a claim under way was too early to see. */
  wake(now: number): void {
    this.nextClaimAt = Math.min(this.nextClaimAt, now);
    this.isWokenMeanwhile = this.isClaiming;
  }

  /** A claim has been answered. @param pauseMs until the next one, unless there is reason to claim at once */
  claimed(now: number, pauseMs: number): void {
    this.nextClaimAt = this.isWokenMeanwhile ? now : now + pauseMs;
    this.queues.claimed(this.gate.lanesWorthHolding(now));
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
    const { live, replays, lookups, replayLookups } = this.queues.waiting;
    const times = [
      this.gate.opensAt(now),
      live + replays > 0 ? this.gate.nextRequestAt(now) : Infinity,
      lookups + replayLookups > 0 ? this.gate.nextLookupAt(now) : Infinity,
      ...this.queues.all.map((turns) => this.staleAt(turns)),
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
