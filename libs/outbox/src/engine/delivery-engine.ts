import type { Program } from '#contracts';
import type { PassNaming } from '#intents/core';
import type { Random } from '#platform';

import type { GateState } from '../gate/program-gate.js';
import type { DeliverySettings } from '../settings.js';
import { Coordination } from './coordination.js';
import type { Turn } from './fair-queues.js';
import { GroupCommit } from './group-commit.js';
import { LaneMachine } from './lane-machine.js';
import { startWork } from './lane-work.js';
import type { WaitingCall } from './lease-table.js';
import { LeaseTable } from './lease-table.js';
import type { DeliveryEffect, DeliveryEvent } from './messages.js';
import type { ClaimPause, NamingOf, ScheduledProgram } from './program-scheduler.js';
import { ProgramScheduler } from './program-scheduler.js';

const byUniqueId: PassNaming = { transaction: 'unique_id', reward: 'unique_id' };

/** Pause after a claim that the database refused, jittered. */
const claimRetryMs = 500;

/** The work that an engine holds: all zero when it has nothing to do. */
interface EngineLoad {
  readonly lanes: number;
  readonly requests: number;
  readonly lookups: number;
  /** Answers of the partner still to come. */
  readonly openCalls: number;
  /** Steps not yet known to be recorded. */
  readonly unwritten: number;
}

type EventOf<T extends DeliveryEvent['type']> = Extract<DeliveryEvent, { type: T }>;

/**
 * The delivery loop as `step(event, now) -> effects` (design.md section 2): claims due lanes, begins, sends and records
 * their attempts, in order per lane, never more than one open attempt per lane. Holds only what it may lose: everything
 * that counts is in the database before it has a consequence. Touches no clock, socket or database itself.
 */
export class DeliveryEngine {
  private readonly programs: ProgramScheduler;
  private readonly commits: GroupCommit;
  private readonly leases = new LeaseTable();
  private readonly lanes: LaneMachine;
  private readonly coordination: Coordination;
  private isDraining = false;
  private isDrained = false;

  constructor(
    private readonly settings: DeliverySettings,
    private readonly random: Pick<Random, 'unit'>,
    namingOf: NamingOf = () => byUniqueId,
  ) {
    this.programs = new ProgramScheduler(settings, namingOf);
    this.commits = new GroupCommit(settings);
    this.lanes = new LaneMachine(this.leases, this.commits, { settings, random });
    this.coordination = new Coordination(this.programs, random, settings);
  }

  /** Takes over the programs of a (re-)read programs file. Lanes of a program that left it are finished, not claimed. */
  setPrograms(programs: Readonly<Record<string, Program>>): void {
    this.programs.replace(programs);
    this.coordination.introduce();
  }

  /** Lanes held over all programs: bounded by `lanesHeldMax`. */
  get lanesHeld(): number {
    return this.leases.size;
  }

  /** Whether a program's partner wants no calls now: asked before the second call of a lookup. */
  isClosed(program: string, now: number): boolean {
    return [...this.programs.all].some(({ name, gate }) => name === program && gate.isClosed(now));
  }

  /** Until the next report to the other replicas is due, milliseconds. */
  get reportsAfterMs(): number {
    const { coordinationMs, coordinationIdleMs } = this.settings;
    return [...this.programs.all].some(({ atWorkSince }) => atWorkSince !== null) ? coordinationMs : coordinationIdleMs;
  }

  /** Each program's gate, for metrics. */
  gatesAt(now: number): ReadonlyMap<string, GateState> {
    return new Map([...this.programs.all].map(({ name, gate }) => [name, gate.stateAt(now)]));
  }

  get load(): EngineLoad {
    return {
      lanes: this.leases.size,
      requests: this.programs.sum(({ gate }) => gate.requestsUnderWay),
      lookups: this.programs.sum(({ gate }) => gate.lookupsUnderWay),
      openCalls: this.leases.openCalls,
      unwritten: this.commits.size,
    };
  }

  step(event: DeliveryEvent, now: number): DeliveryEffect[] {
    this.absorb(event, now);
    for (const item of this.commits.takeUnprocessable(this.isDraining)) this.lanes.givenUp(item);
    for (const program of this.programs.all) this.dispatch(program, now);
    this.programs.dismiss();
    const effects = [...this.leases.takeEffects(), ...this.startCommits(now), ...this.claims(now)];
    const coordinating = this.isDrained ? [] : this.coordination.effects(now, this.isDraining);
    return [...effects, ...coordinating, ...this.timer(now), ...this.drained()];
  }

  /** Takes in an event without acting yet: what arrived together is acted on together by the last one's `step`. */
  absorb(event: DeliveryEvent, now: number): void {
    switch (event.type) {
      case 'Woken':
        if (event.isWorkLikely) for (const program of this.programs.all) program.wake(now);
        return;
      case 'Claimed':
        this.onClaimed(event, now);
        return;
      case 'ClaimFailed':
        this.programs.get(event.program)?.claimFailed(now, claimRetryMs * (0.5 + this.random.unit()));
        return;
      case 'Flushed':
        for (const program of this.programs.all) program.gate.commitEnded();
        for (const finished of this.commits.finish(event.flushId, event.results)) this.lanes.recorded(finished, now);
        return;
      case 'FlushFailed':
        this.commits.fail(event.flushId, { now, isAway: event.isAway });
        return;
      case 'LookupAnswered':
      case 'AttemptAnswered':
        this.onAnswered(event, now);
        return;
      case 'DrainRequested':
        this.isDraining = true;
        this.lanes.stopBeginning();
        return;
      case 'CoordinationDue':
      case 'Coordinated':
      case 'CoordinationFailed':
      case 'PauseSet':
      case 'HoldLifted':
      case 'Recalled':
      case 'Resumed':
        this.coordination.absorb(event, now);
    }
  }

  private onClaimed(event: EventOf<'Claimed'>, now: number): void {
    const program = this.programs.get(event.program);
    if (program === undefined) return;
    const isShort = event.lanes.length < event.asked / 2;
    program.claimed(now, isShort ? this.idlePause(now, event.quietUntil) : { least: now, until: now, quietUntil: now });
    for (const lane of event.lanes) {
      this.leases.hold(program, lane);
      this.lanes.advance({ program, work: startWork(lane) }, now);
    }
  }

  private idlePause(now: number, quietUntil = now): ClaimPause {
    const { idlePollMs, idlePollMsMax } = this.settings;
    const slowdown = this.programs.idleSlowdown * (0.5 + this.random.unit());
    const least = now + idlePollMs * slowdown;
    return { least, until: Math.max(least, Math.min(quietUntil, now + idlePollMsMax * slowdown)), quietUntil };
  }

  private onAnswered(event: EventOf<'LookupAnswered'> | EventOf<'AttemptAnswered'>, now: number): void {
    const open = this.leases.takeOpen(event);
    if (open === undefined) return;
    if (event.type === 'LookupAnswered') this.lanes.lookupAnswered(open, event, now);
    else this.lanes.attemptAnswered(open, event, now);
  }

  /** Gives waiting lanes their turn, as far as the gate allows, releases those that must wait no longer, and makes calls. */
  private dispatch(program: ScheduledProgram, now: number): void {
    const isShut = this.isDraining || program.isRetired || program.gate.isShut;
    for (const queue of program.queues.all) {
      // One that has waited through half of its lease goes back: another replica may have room for it.
      for (let work = queue.peek(); work !== undefined; work = queue.peek()) {
        if (!isShut && now < program.staleAt(work)) break;
        queue.take();
        this.leases.release(work.lane);
      }
    }
    const next = (): Turn | null => (isShut ? null : program.queues.next(program.gate, now));
    for (let turn = next(); turn !== null; turn = next()) {
      const { kind, work } = turn;
      if (kind === 'request') this.lanes.begin({ program, work }, now);
      else if (kind === 'lookup') this.lanes.lookup({ program, work }, now);
      else this.lanes.probe({ program, work });
    }
    this.makeCalls(program, now);
  }

  /** Makes calls that have been begun, unless it is too late for them. */
  private makeCalls(program: ScheduledProgram, now: number): void {
    const next = (): WaitingCall | null => this.leases.nextCall(program, now);
    for (let waiting = next(); waiting !== null; waiting = next()) {
      const { call, sendBy } = waiting;
      if (now <= sendBy) {
        program.gate.sent();
        this.leases.openWaiting(waiting);
      } else if (call.purpose === 'send') this.lanes.attemptLapsed(call, now);
      else {
        program.gate.withdrawn();
        this.lanes.advance(call, now);
      }
    }
  }

  private startCommits(now: number): DeliveryEffect[] {
    const isFirst = this.commits.underWay === 0;
    const started = this.commits.start(now);
    if (isFirst && started.length > 0) for (const { gate } of this.programs.all) gate.commitStarted();
    return started;
  }

  private claims(now: number): DeliveryEffect[] {
    if (this.isDraining || this.commits.isStruggling) return [];
    const leaseUntil = now + this.settings.leaseMs;
    return this.programs.planClaims(now).map((claim) => ({ type: 'Claim', ...claim, leaseUntil }));
  }

  private timer(now: number): DeliveryEffect[] {
    if (this.isDrained) return [];
    const times = [...this.programs.all].map((program) => program.nextWakeAt(now));
    const ofAll = [this.commits.nextStartAt(), this.leases.nextLapseAt()];
    const due = [...times, ...ofAll].filter((at): at is number => at !== null);
    return due.length === 0 ? [] : [{ type: 'SetTimer', at: Math.max(now + 1, Math.min(...due)) }];
  }

  private drained(): DeliveryEffect[] {
    const isBusy = this.leases.size > 0 || this.commits.size > 0 || this.programs.areClaiming;
    if (!this.isDraining || isBusy || this.isDrained) return [];
    this.isDrained = true;
    return [{ type: 'Drained' }];
  }
}
