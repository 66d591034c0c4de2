import type { Program } from '#contracts';
import type { PassNaming } from '#intents/core';
import type { ClaimedLane } from '#intents';
import type { Random } from '#platform';

import type { GateState } from '../gate/program-gate.js';
import type { DeliverySettings } from '../settings.js';
import { Coordination } from './coordination.js';
import type { Turn } from './fair-queues.js';
import { GroupCommit } from './group-commit.js';
import { LaneMachine } from './lane-machine.js';
import type { DeliveryEffect, DeliveryEvent } from './messages.js';
import type { ClaimPause, NamingOf } from './scheduled-program.js';
import { idleSlowdown, ScheduledProgram } from './scheduled-program.js';

const byUniqueId: PassNaming = {};

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
 * The delivery loop as `step(event, now) -> effects` (design.md section 2): claims due lanes and gives each its turn;
 * `LaneMachine` says what is done with a lane then, `GroupCommit` when that is written. In order per lane, never more than
 * one open attempt per lane. Holds only what it may lose: everything that counts is in the database before it has a
 * consequence. Touches no clock, socket or database itself.
 */
export class DeliveryEngine {
  /** In the order in which they may claim. */
  private readonly programs = new Map<string, ScheduledProgram>();
  private readonly commits: GroupCommit;
  private readonly lanes: LaneMachine;
  private readonly coordination: Coordination;
  private isDraining = false;
  private isDrained = false;

  constructor(
    private readonly settings: DeliverySettings,
    private readonly random: Pick<Random, 'unit'>,
    private readonly namingOf: NamingOf = () => byUniqueId,
  ) {
    this.commits = new GroupCommit(settings);
    this.lanes = new LaneMachine(this.commits, settings, random);
    this.coordination = new Coordination(this.programs, random, settings);
  }

  /** Takes over the programs of a (re-)read programs file. Lanes of a program that left it are finished, not claimed. */
  setPrograms(programs: Readonly<Record<string, Program>>): void {
    for (const [name, config] of Object.entries(programs)) {
      const program = this.programs.get(name);
      if (program === undefined) {
        this.programs.set(name, new ScheduledProgram(name, config, this.settings, this.namingOf));
      } else program.change(config);
    }
    for (const [name, program] of this.programs) if (!Object.hasOwn(programs, name)) program.isRetired = true;
    this.dismissRetired();
    this.coordination.introduce();
  }

  /** Lanes held over all programs: bounded by `lanesHeldMax`. */
  get lanesHeld(): number {
    return this.lanes.held;
  }

  /** Whether a program's partner wants no calls now: asked before the second call of a lookup. */
  isClosed(program: string, now: number): boolean {
    return this.programs.get(program)?.gate.isClosed(now) ?? false;
  }

  /** Until the next report to the other replicas is due, milliseconds. */
  get reportsAfterMs(): number {
    const { coordinationMs, coordinationIdleMs } = this.settings;
    return this.all.some(({ atWorkSince }) => atWorkSince !== null) ? coordinationMs : coordinationIdleMs;
  }

  /** Each program's gate, for metrics. */
  gatesAt(now: number): ReadonlyMap<string, GateState> {
    return new Map(this.all.map(({ name, gate }) => [name, gate.stateAt(now)]));
  }

  /**
   * Whether lanes that are being recorded in this process are leased and begun there: `TookOver` or `TakeOverFailed` says what became of
   * that. @returns null: they are left to a claim
   */
  takeOver(program: string, lanes: number, now: number): ReturnType<ScheduledProgram['takeOver']> {
    if (this.isDraining || this.commits.isStruggling) return null;
    const room = this.settings.lanesHeldMax - this.sum(({ held, asked }) => held + asked);
    return this.programs.get(program)?.takeOver(Math.min(lanes, room), now) ?? null;
  }

  get load(): EngineLoad {
    return {
      lanes: this.lanes.held,
      requests: this.sum(({ gate }) => gate.requestsUnderWay),
      lookups: this.sum(({ gate }) => gate.lookupsUnderWay),
      openCalls: this.lanes.openCalls,
      unwritten: this.commits.size,
    };
  }

  step(event: DeliveryEvent, now: number): DeliveryEffect[] {
    this.absorb(event, now);
    for (const item of this.commits.takeUnprocessable(this.isDraining)) this.lanes.givenUp(item);
    for (const program of this.programs.values()) this.giveTurns(program, now);
    this.dismissRetired(now);
    const claims = this.commits.isStruggling ? [] : [...this.findBegun(now), ...this.claims(now)];
    const effects = [...this.lanes.takeEffects(), ...this.startCommits(now), ...claims];
    const coordinating = this.isDrained ? [] : this.coordination.effects(now, this.isDraining);
    return [...effects, ...coordinating, ...this.timer(now), ...this.drained(now)];
  }

  /** Takes in an event without acting yet: what arrived together is acted on together by the last one's `step`. */
  absorb(event: DeliveryEvent, now: number): void {
    switch (event.type) {
      case 'Woken':
        if (event.isWorkLikely) for (const program of this.programs.values()) program.wake(now);
        return;
      case 'Claimed':
        this.onClaimed(event, now);
        return;
      case 'ClaimFailed':
        this.programs.get(event.program)?.claimFailed(now, claimRetryMs * (0.5 + this.random.unit()));
        return;
      case 'TookOver':
        this.onTookOver(event, now);
        return;
      case 'TakeOverFailed':
        this.programs.get(event.program)?.takeOverFailed(now, claimRetryMs * (0.5 + this.random.unit()));
        return;
      case 'Flushed':
        for (const program of this.programs.values()) program.gate.commitEnded();
        for (const finished of this.commits.finish(event.flushId, event.results)) this.lanes.recorded(finished, now);
        return;
      case 'FlushFailed':
        this.commits.fail(event.flushId, { now, isAway: event.isAway });
        return;
      case 'LookupAnswered':
        this.lanes.lookupAnswered(event, now);
        return;
      case 'AttemptAnswered':
        this.lanes.attemptAnswered(event, now);
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

  private get all(): ScheduledProgram[] {
    return [...this.programs.values()];
  }

  private sum(of: (program: ScheduledProgram) => number): number {
    return this.all.reduce((total, program) => total + of(program), 0);
  }

  /** Lets go of programs that have left the file and of which nothing is open any more. @param now absent: nothing is over yet */
  private dismissRetired(now = 0): void {
    for (const [name, program] of this.programs) {
      const isOpen = program.held > 0 || program.isBeginning(now);
      if (program.isRetired && !isOpen) this.programs.delete(name);
    }
  }

  /** What claims that were not answered may have begun, also while draining: a process leaves nothing in doubt that it never sent. */
  private findBegun(now: number): DeliveryEffect[] {
    return this.all.flatMap((program): DeliveryEffect[] => {
      const leaseUntil = program.findsBegun(now);
      const { name, namesPasses } = program;
      return leaseUntil === 0 ? [] : [{ type: 'FindBegun', program: name, leaseUntil, namesPasses }];
    });
  }

  /** Who may claim how much now. Lanes asked for count as held; who has claimed comes last the next time. */
  private claims(now: number): DeliveryEffect[] {
    if (this.isDraining) return [];
    const { lanesHeldMax } = this.settings;
    const share = Math.max(1, Math.floor(lanesHeldMax / Math.max(1, this.programs.size)));
    let free = lanesHeldMax - this.sum((program) => program.held + program.asked);
    return this.all.flatMap((program): DeliveryEffect[] => {
      const limit = Math.floor(program.claimSize(now, { free, share }));
      if (limit < 1) return [];
      free -= limit;
      this.programs.delete(program.name);
      this.programs.set(program.name, program);
      const { name, namesPasses } = program;
      const looksFirst = program.looksFirst(now);
      return [{ type: 'Claim', program: name, limit, namesPasses, looksFirst, ...program.startClaim(limit, now) }];
    });
  }

  private onClaimed(event: EventOf<'Claimed'>, now: number): void {
    const program = this.programs.get(event.program);
    if (program === undefined) return;
    const isShort = event.lanes.length < event.asked / 2;
    const pause = isShort ? this.idlePause(now, event.quietUntil) : { least: now, until: now, quietUntil: now };
    const lanes = this.notHeld(event.lanes);
    program.claimed(now, pause, lanes.filter(({ begunAt }) => begunAt !== undefined).length);
    for (const lane of lanes) this.lanes.claimed(program, lane, now);
  }

  /** What is under way here is not begun again, whatever a look in the database has found. */
  private notHeld(lanes: readonly ClaimedLane[]): readonly ClaimedLane[] {
    return lanes.filter((lane) => !this.lanes.holds(lane));
  }

  private onTookOver({ program: name, lanes: begun }: EventOf<'TookOver'>, now: number): void {
    const program = this.programs.get(name);
    if (program === undefined) return;
    const lanes = this.notHeld(begun);
    program.tookOver(lanes.length);
    for (const lane of lanes) this.lanes.claimed(program, lane, now);
  }

  private idlePause(now: number, quietUntil = now): ClaimPause {
    const { idlePollMs, idlePollMsMax } = this.settings;
    const slowdown = idleSlowdown(this.programs.size) * (0.5 + this.random.unit());
    const least = now + idlePollMs * slowdown;
    return { least, until: Math.max(least, Math.min(quietUntil, now + idlePollMsMax * slowdown)), quietUntil };
  }

  /** Gives waiting lanes their turn, as far as the gate allows, releases those that must wait no longer, and makes calls. */
  private giveTurns(program: ScheduledProgram, now: number): void {
    const isShut = this.isDraining || program.isRetired || program.gate.isShut;
    for (const queue of program.queues.all) {
      // One that has waited through half of its lease goes back: another replica may have room for it.
      for (let work = queue.peek(); work !== undefined; work = queue.peek()) {
        if (!isShut && now < program.staleAt(work)) break;
        queue.take();
        this.lanes.release(work.lane);
      }
    }
    const next = (): Turn | null => (isShut ? null : program.queues.next(program.gate, now));
    for (let turn = next(); turn !== null; turn = next()) {
      const { kind, work } = turn;
      if (kind === 'request') this.lanes.begin({ program, work }, now);
      else if (kind === 'lookup') this.lanes.lookup({ program, work }, now);
      else this.lanes.probe({ program, work });
    }
    this.lanes.makeCalls(program, now);
  }

  private startCommits(now: number): DeliveryEffect[] {
    const isFirst = this.commits.underWay === 0;
    const started = this.commits.start(now);
    if (isFirst && started.length > 0) for (const { gate } of this.programs.values()) gate.commitStarted();
    return started;
  }

  private timer(now: number): DeliveryEffect[] {
    if (this.isDrained) return [];
    const times = this.all.map((program) => program.nextWakeAt(now));
    const ofAll = [this.commits.nextStartAt(), this.lanes.nextLapseAt()];
    const due = [...times, ...ofAll].filter((at): at is number => at !== null);
    return due.length === 0 ? [] : [{ type: 'SetTimer', at: Math.max(now + 1, Math.min(...due)) }];
  }

  private drained(now: number): DeliveryEffect[] {
    const isOpen = this.all.some((program) => program.isBeginning(now));
    const isBusy = isOpen || this.lanes.held > 0 || this.commits.size > 0;
    if (!this.isDraining || isBusy || this.isDrained) return [];
    this.isDrained = true;
    return [{ type: 'Drained' }];
  }
}
