import type { Program } from '#contracts';
import type { Random } from '#platform';

import type { GateState } from '../gate/program-gate.js';
import type { DeliverySettings } from '../settings.js';
import { AttemptSettler } from './attempt-settler.js';
import { Coordination } from './coordination.js';
import type { DeliveryEffect } from './delivery-effect.js';
import { Desks } from './desks.js';
import type { DeliveryEvent } from './delivery-event.js';
import { FlushQueue } from './flush-queue.js';
import { LaneBook } from './lane-book.js';
import { LaneSteps } from './lane-steps.js';
import { LookupSettler } from './lookup-settler.js';
import { startWork } from './lane-work.js';
import type { ProgramDesk } from './program-desk.js';
import { Pump } from './pump.js';
import { RecordedSteps } from './recorded-steps.js';

/** What an engine has in its hands: all zero when it has nothing to do. */
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
  private readonly desks: Desks;
  private readonly flushes: FlushQueue;
  private readonly book = new LaneBook();
  private readonly lanes: LaneSteps;
  private readonly results: RecordedSteps;
  private readonly settler: AttemptSettler;
  private readonly lookups: LookupSettler;
  private readonly turns: Pump;
  private readonly coordination: Coordination;
  private isDraining = false;
  private isDrained = false;

  constructor(
    private readonly settings: DeliverySettings,
    private readonly random: Pick<Random, 'unit'>,
  ) {
    this.desks = new Desks(settings);
    this.flushes = new FlushQueue(settings);
    this.lanes = new LaneSteps(this.book, this.flushes, { settings, random });
    this.results = new RecordedSteps(this.book);
    this.settler = new AttemptSettler(this.lanes, random);
    this.lookups = new LookupSettler(this.lanes, random);
    this.turns = new Pump(this.book, this.lanes);
    this.coordination = new Coordination(this.desks, random);
  }

  /** Takes over the programs of a (re-)read programs file. Lanes of a program that left it are finished, not claimed. */
  setPrograms(programs: Readonly<Record<string, Program>>): void {
    this.desks.replace(programs);
    this.coordination.introduce();
  }

  /** Lanes in our hands over all programs: bounded by `lanesHeldMax`. */
  get lanesHeld(): number {
    return this.book.size;
  }

  /** Each program's gate, for metrics. */
  gatesAt(now: number): ReadonlyMap<string, GateState> {
    return new Map([...this.desks.all].map(({ name, gate }) => [name, gate.stateAt(now)]));
  }

  get load(): EngineLoad {
    return {
      lanes: this.book.size,
      requests: this.desks.sum(({ gate }) => gate.requestsUnderWay),
      lookups: this.desks.sum(({ gate }) => gate.lookupsUnderWay),
      openCalls: this.book.openCalls,
      unwritten: this.flushes.size,
    };
  }

  step(event: DeliveryEvent, now: number): DeliveryEffect[] {
    this.absorb(event, now);
    for (const item of this.flushes.takeHopeless(this.isDraining)) this.results.givenUp(item);
    for (const desk of this.desks.all) this.pump(desk, now);
    this.desks.dismiss();
    const effects = [...this.book.takeEffects(), ...this.flushes.start(now), ...this.claims(now)];
    const together = this.isDrained ? [] : this.coordination.effects(now, this.isDraining);
    return [...effects, ...together, ...this.timer(now), ...this.drained()];
  }

  /** Takes in an event without acting yet: what arrived together is acted on together by the last one's `step`. */
  absorb(event: DeliveryEvent, now: number): void {
    switch (event.type) {
      case 'Woken':
        if (event.isWorkLikely) for (const desk of this.desks.all) desk.wake(now);
        return;
      case 'Claimed':
        this.onClaimed(event, now);
        return;
      case 'ClaimFailed':
        this.desks.get(event.program)?.claimFailed(now, claimRetryMs * (0.5 + this.random.unit()));
        return;
      case 'Flushed':
        for (const finished of this.flushes.finish(event.flushId, event.results)) this.results.recorded(finished, now);
        return;
      case 'FlushFailed':
        this.flushes.fail(event.flushId, { now, isAway: event.isAway });
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
      case 'Recalled':
        this.coordination.absorb(event, now);
    }
  }

  private onClaimed(event: EventOf<'Claimed'>, now: number): void {
    const desk = this.desks.get(event.program);
    if (desk === undefined) return;
    const isShort = event.lanes.length < event.asked / 2;
    desk.claimed(now, isShort ? this.idlePauseMs() : 0);
    for (const lane of event.lanes) {
      this.book.hold(desk, lane);
      this.lanes.advance({ desk, work: startWork(lane) }, now);
    }
  }

  /** The more programs are asked for, the rarer each: idling costs the database the same however many there are. */
  private idlePauseMs(): number {
    const crowd = Math.max(1, this.desks.size / programsPerPoll);
    return this.settings.idlePollMs * crowd * (0.5 + this.random.unit());
  }

  private onAnswered(event: EventOf<'LookupAnswered'> | EventOf<'AttemptAnswered'>, now: number): void {
    const open = this.book.takeOpen(event);
    if (open === undefined) return;
    if (event.type === 'LookupAnswered') this.lookups.lookupAnswered(open, event, now);
    else this.settler.attemptAnswered(open, event, now);
  }

  private pump(desk: ProgramDesk, now: number): void {
    if (this.isDraining || desk.isRetired || desk.gate.isShut) this.turns.giveBackAll(desk);
    else this.turns.takeTurns(desk, now);
  }

  private claims(now: number): DeliveryEffect[] {
    if (this.isDraining || this.flushes.isStruggling) return [];
    const leaseUntil = now + this.settings.leaseMs;
    return this.desks.planClaims(now).map((claim) => ({ type: 'Claim', ...claim, leaseUntil }));
  }

  private timer(now: number): DeliveryEffect[] {
    const times = [...this.desks.all].map((desk) => desk.nextWakeAt(now));
    const due = [...times, this.flushes.nextRetryAt()].filter((at): at is number => at !== null);
    return due.length === 0 ? [] : [{ type: 'SetTimer', at: Math.max(now + 1, Math.min(...due)) }];
  }

  private drained(): DeliveryEffect[] {
    const isBusy = this.book.size > 0 || this.flushes.size > 0 || this.desks.areClaiming;
    if (!this.isDraining || isBusy || this.isDrained) return [];
    this.isDrained = true;
    return [{ type: 'Drained' }];
  }
}

/** Pause after a claim that the database refused, jittered. */
const claimRetryMs = 500;
/** So many programs are polled at the pace of the settings; more of them slow each other down. */
const programsPerPoll = 8;
