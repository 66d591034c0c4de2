import type { Program } from '#contracts';
import type { HoldTarget, PassNaming } from '#intents/core';
import { begunUnread } from '#intents/core';
import type { BeginsWithLease } from '#intents';

import type { GateLimits } from '../gate/program-gate.js';
import { ProgramGate } from '../gate/program-gate.js';
import type { HeldCall } from '../gate/program-pauses.js';
import { ProgramPauses } from '../gate/program-pauses.js';
import type { Showing } from '../gate/refusal-window.js';
import { RefusalWindow } from '../gate/refusal-window.js';
import type { DeliverySettings } from '../settings.js';
import type { TurnShares } from './fair-queues.js';
import { FairQueues } from './fair-queues.js';
import type { LaneWork } from './lane-work.js';

/** So many programs are polled at the pace of the settings; more of them slow each other down. */
const programsPerPoll = 8;

/** The more programs are asked for, the rarer each: idling costs the database the same however many there are. */
export function idleSlowdown(programs: number): number {
  return Math.max(1, programs / programsPerPoll);
}

/** What calls about a program's passes name them by: the dialect says so. */
export type NamingOf = (program: Program) => PassNaming;

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

/** How long a program rests after a claim, epoch ms. */
export interface ClaimPause {
  readonly least: number;
  readonly until: number;
  /** Nothing comes due before, as far as was seen. */
  readonly quietUntil: number;
}

/** The rights to begin so many requests, with attempts that begin with this lease. */
interface Rights {
  readonly begins: number;
  readonly leaseUntil: number;
}

const noRights: Rights = { begins: 0, leaseUntil: 0 };

/** One program's side of the delivery engine: its gate, its lanes waiting for a turn, and when to claim again. */
export class ScheduledProgram {
  readonly gate: ProgramGate;
  readonly pauses: ProgramPauses;
  readonly refusals: RefusalWindow;
  readonly queues: FairQueues;
  /** Lanes asked for by the claim under way; 0: none is. */
  asked = 0;
  nextClaimAt = 0;
  /** Held lanes, in any stage. */
  held = 0;
  /** The program has left the programs file: what is open is finished, nothing is begun or claimed. */
  isRetired = false;
  /** Since when this replica works on the program; null: it does not. Epoch ms. */
  atWorkSince: number | null = null;
  /** What calls name a pass by. */
  naming: PassNaming;
  /** What the claim under way may begin, and until when it leases. */
  private claiming = noRights;
  /** The same of what is being recorded; null: nothing is being taken over from there. */
  private takingOver: Rights | null = null;
  /** The leases that were not answered: what may have begun with them is looked for before the next claim. */
  private readonly unanswered = new Set<number>();
  /** The one of them that is being looked for. */
  private lookedFor = 0;
  private lastLease = 0;
  private lastRenewal = 0;
  private leastClaimAt = 0;
  private lastWorkAt = 0;
  private isWokenMeanwhile = false;
  /**
   * When the first lane comes due that we have let go of since the last claim was answered: the one under way may have been
   * too early to see it, and so may the next one, which leaves together with the release.
   */
  private dueMeanwhile = Infinity;
  /** From then on something is known to be due; a claim before it only makes sure. */
  private dueAt = 0;

  constructor(
    readonly name: string,
    public config: Program,
    private readonly settings: DeliverySettings,
    private readonly namingOf: NamingOf,
  ) {
    this.naming = namingOf(config);
    this.gate = new ProgramGate(limitsOf(config, settings));
    this.pauses = new ProgramPauses(name);
    this.refusals = new RefusalWindow(config.autoPause.sameRefusals);
    this.queues = new FairQueues(sharesOf(config, settings));
  }

  /** The programs file was read again. */
  change(config: Program): void {
    this.config = config;
    this.naming = this.namingOf(config);
    this.isRetired = false;
    this.gate.change(limitsOf(config, this.settings));
    this.refusals.change(config.autoPause.sameRefusals);
    this.queues.change(sharesOf(config, this.settings));
  }

  /** Whether some call needs to know what the partner calls the pass. */
  get namesPasses(): boolean {
    return this.config.lookup.by === 'person_id' || Object.values(this.naming).some((part) => part !== 'unique_id');
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

  /**
   * Takes the rights for what a claim may begin: nothing where others wait for their turn, something is held, or calls name the pass as
   * the partner does.
   */
  startClaim(limit: number, now: number): { readonly begins: BeginsWithLease; readonly leaseUntil: number } {
    this.asked = limit;
    this.claiming = this.takeRights(limit, now);
    return this.leaseOf(this.claiming);
  }

  /**
   * Takes the rights for what is being recorded in this process to be leased and begun there, as long as nothing is known that should
   * go before it. @returns null: it is left to a claim
   */
  takeOver(lanes: number, now: number): { readonly begins: BeginsWithLease; readonly leaseUntil: number } | null {
    const isFirst = this.takingOver === null && !this.isClaiming && this.looksFirst(now) && this.begunUntil(now) === 0;
    if (this.isRetired || !isFirst) return null;
    const rights = this.takeRights(lanes, now);
    if (rights.begins === 0) return null;
    this.takingOver = rights;
    return this.leaseOf(rights);
  }

  /** It is recorded, or was refused. @param begun of its lanes */
  tookOver(begun: number): void {
    this.gate.claimEnded(this.takingOver?.begins ?? 0, begun);
    this.queues.began(begun);
    this.takingOver = null;
  }

  /** Whether it is recorded is not known. */
  takeOverFailed(now: number, pauseMs: number): void {
    if (this.takingOver === null) return;
    this.unanswered.add(this.takingOver.leaseUntil);
    this.tookOver(0);
    this.dueAt = now;
    this.nextClaimAt = Math.max(this.nextClaimAt, now + pauseMs);
    this.leastClaimAt = Math.max(this.leastClaimAt, this.nextClaimAt);
  }

  /** Something is begun of which this process does not know yet, or may be. */
  isBeginning(now: number): boolean {
    return this.isClaiming || this.takingOver !== null || this.begunUntil(now) > 0;
  }

  /** Until when others leave to us what may have begun with a lease that was not answered; 0: there is none, or it is over. */
  private begunUntil(now: number): number {
    for (const leaseUntil of this.unanswered) {
      if (now < leaseUntil) return leaseUntil;
      this.unanswered.delete(leaseUntil);
    }
    return 0;
  }

  /** @returns the lease of what is to be looked for now, which is answered as a claim is; 0: nothing */
  findsBegun(now: number): number {
    if (this.isClaiming || now < this.nextClaimAt) return 0;
    const leaseUntil = this.begunUntil(now);
    this.asked = leaseUntil === 0 ? 0 : 1;
    this.lookedFor = leaseUntil;
    return leaseUntil;
  }

  /** Work may be due; also what a claim under way was too early to see. */
  wake(now: number): void {
    this.nextClaimAt = Math.min(this.nextClaimAt, now);
    this.dueAt = Math.min(this.dueAt, now);
    this.isWokenMeanwhile = this.isClaiming;
  }

  /**
   * A claim has been answered, and the next is not needed before `pause.until`, unless there is reason to: what we let go of
   * ourselves is one from `pause.least` on, being woken one at once. Epoch ms.
   */
  claimed(now: number, pause: ClaimPause, begun = 0): void {
    this.unanswered.delete(this.lookedFor);
    this.rightsUsed(begun);
    this.queues.began(begun);
    this.leastClaimAt = pause.least;
    this.dueAt = this.isWokenMeanwhile ? now : Math.min(pause.quietUntil, this.dueMeanwhile);
    const until = Math.min(pause.until, Math.max(pause.least, this.dueMeanwhile));
    this.nextClaimAt = this.isWokenMeanwhile || this.unanswered.size > 0 ? now : until;
    this.queues.claimed(this.gate.lanesWorthHolding(now));
    this.claimEnded();
  }

  /** A lane that we let go of comes due then, epoch ms. */
  comesDue(at: number): void {
    this.dueMeanwhile = Math.min(this.dueMeanwhile, at);
    this.dueAt = Math.min(this.dueAt, at);
    this.nextClaimAt = Math.min(this.nextClaimAt, Math.max(this.leastClaimAt, at));
  }

  claimFailed(now: number, pauseMs: number): void {
    const { begins, leaseUntil } = this.claiming;
    if (begins > 0) this.unanswered.add(leaseUntil);
    this.rightsUsed(0);
    this.nextClaimAt = now + pauseMs;
    this.dueAt = now;
    this.leastClaimAt = this.nextClaimAt;
    this.claimEnded();
  }

  /** Nothing is known to be due: a look, which writes nothing, is enough to make sure. */
  looksFirst(now: number): boolean {
    return now < this.dueAt;
  }

  /** Whether it would look for itself until then: a report to the other replicas can do so before. */
  wantsLook(now: number, until: number): boolean {
    return !this.isRetired && !this.isClaiming && this.looksFirst(now) && this.nextClaimAt <= until;
  }

  /** Nothing comes due before `quietUntil`, as far as a report saw; what has become known since counts all the same. */
  looked(now: number, quietUntil: number, restMs: number): void {
    if (this.isClaiming || !this.looksFirst(now)) return;
    this.dueAt = Math.min(this.dueAt, quietUntil);
    this.nextClaimAt = Math.max(this.leastClaimAt, Math.min(this.dueAt, now + restMs));
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

  /** When it next needs to be looked at without an event, or null. */
  nextWakeAt(now: number): number | null {
    const times = [
      this.gate.opensAt(now),
      this.queues.waiting('request') > 0 ? this.gate.nextRequestAt(now) : Infinity,
      this.queues.waiting('lookup') > 0 ? this.gate.nextLookupAt(now) : Infinity,
      ...this.queues.all.map((queue) => this.staleAt(queue.peek())),
      this.isClaiming || (this.isRetired && this.begunUntil(now) === 0) ? Infinity : this.nextClaimAt,
    ];
    const next = Math.min(...times.filter((at) => at > now));
    return next === Infinity ? null : next;
  }

  /** When a lane that waits for its turn has waited through half of its lease; Infinity: there is none. */
  staleAt(work: LaneWork | undefined): number {
    return work === undefined ? Infinity : work.leaseUntil - this.settings.leaseMs / 2;
  }

  /**
   * A call has been answered. @param showing null: it shows nothing of the calls that have something in common with it
   * @returns whether it failed for what is broken for all such calls, which are held, or are from now on; which holds are to end
   */
  answered(
    call: HeldCall,
    showing: Showing | null,
    now: number,
  ): { readonly isBroken: boolean; readonly ended: readonly HoldTarget[] } {
    const result = showing === null ? 'neither' : showing.kind === 'served' ? 'served' : 'failed';
    const { isHeld, ended } = this.pauses.answered(call, result, now);
    // What a hold explains already must not make a wider one.
    const isCounted = showing !== null && (showing.kind === 'served' || !isHeld);
    const wanted = isCounted ? this.refusals.answered(call, showing, now) : null;
    if (wanted !== null) this.pauses.want(wanted, now);
    return { isBroken: wanted !== null || (isHeld && result === 'failed'), ended };
  }

  /** Until when a lane is leased that we hold. It never ends with the lease of a claim, by which what that began is found. */
  renewedLease(now: number): number {
    this.lastRenewal = Math.max(now + this.settings.leaseMs, this.lastLease + 1);
    return this.lastRenewal;
  }

  /** Leases of two claims never end at the same time. */
  private takeRights(wanted: number, now: number): Rights {
    this.lastLease = Math.max(now + this.settings.leaseMs, this.lastLease + 1, this.lastRenewal + 1);
    const mayBegin = !this.pauses.holdsAny && !this.namesPasses && this.queues.waiting('request') === 0;
    return { begins: mayBegin ? this.gate.reserve(wanted, this.held, now) : 0, leaseUntil: this.lastLease };
  }

  private leaseOf({ begins: max, leaseUntil }: Rights): {
    readonly begins: BeginsWithLease;
    readonly leaseUntil: number;
  } {
    return { leaseUntil, begins: { max, operations: max === 0 ? [] : begunUnread(this.config) } };
  }

  private rightsUsed(begun: number): void {
    this.gate.claimEnded(this.claiming.begins, begun);
    this.claiming = noRights;
  }

  private claimEnded(): void {
    this.asked = 0;
    this.lookedFor = 0;
    this.isWokenMeanwhile = false;
    this.dueMeanwhile = Infinity;
  }
}
