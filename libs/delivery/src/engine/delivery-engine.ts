import type { Program } from '#contracts';
import type { Random } from '#platform';

import type { DeliverySettings } from '../settings.js';
import { AttemptSettler } from './attempt-settler.js';
import type { DeliveryEffect } from './delivery-effect.js';
import type { DeliveryEvent } from './delivery-event.js';
import { FlushQueue } from './flush-queue.js';
import { LaneBook } from './lane-book.js';
import { LaneSteps } from './lane-steps.js';
import { startWork } from './lane-work.js';
import { ProgramDesk } from './program-desk.js';
import { RecordedSteps } from './recorded-steps.js';

/** What an engine has in its hands: all zero when it has nothing to do. */
export interface EngineLoad {
  readonly lanes: number;
  readonly requests: number;
  readonly lookups: number;
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
  private readonly desks = new Map<string, ProgramDesk>();
  private readonly flushes: FlushQueue;
  private readonly book = new LaneBook();
  private readonly lanes: LaneSteps;
  private readonly results: RecordedSteps;
  private readonly settler: AttemptSettler;
  private isDraining = false;
  private isDrained = false;

  constructor(
    private readonly settings: DeliverySettings,
    private readonly random: Pick<Random, 'unit'>,
  ) {
    this.flushes = new FlushQueue(settings);
    this.lanes = new LaneSteps(settings, this.book, this.flushes);
    this.results = new RecordedSteps(this.book);
    this.settler = new AttemptSettler(this.lanes, random);
  }

  /** Takes over the programs of a (re-)read programs file. Lanes of a program that left it are finished, not claimed. */
  setPrograms(programs: Readonly<Record<string, Program>>): void {
    for (const [name, program] of Object.entries(programs)) {
      const desk = this.desks.get(name);
      if (desk === undefined) this.desks.set(name, new ProgramDesk(name, program, this.settings));
      else desk.change(program);
    }
    for (const [name, desk] of this.desks) if (!(name in programs) && desk.held === 0) this.desks.delete(name);
  }

  /** Lanes in our hands over all programs: bounded by `lanesHeldMax`. */
  get lanesHeld(): number {
    return this.book.size;
  }

  get load(): EngineLoad {
    const desks = [...this.desks.values()];
    return {
      lanes: this.book.size,
      requests: desks.reduce((sum, { gate }) => sum + gate.requestsUnderWay, 0),
      lookups: desks.reduce((sum, { gate }) => sum + gate.lookupsUnderWay, 0),
      unwritten: this.flushes.size,
    };
  }

  step(event: DeliveryEvent, now: number): DeliveryEffect[] {
    this.absorb(event, now);
    for (const desk of this.desks.values()) this.pump(desk, now);
    const effects = [...this.book.takeEffects(), ...this.flushes.start(now), ...this.claims(now)];
    return [...effects, ...this.timer(now), ...this.drained()];
  }

  /** Takes in an event without acting yet: what arrived together is acted on together by the last one's `step`. */
  absorb(event: DeliveryEvent, now: number): void {
    switch (event.type) {
      case 'Woken':
        if (event.isWorkLikely) {
          for (const desk of this.desks.values()) desk.nextClaimAt = Math.min(desk.nextClaimAt, now);
        }
        return;
      case 'Claimed':
        this.onClaimed(event, now);
        return;
      case 'ClaimFailed':
        this.onClaimFailed(event, now);
        return;
      case 'Flushed':
        for (const finished of this.flushes.finish(event.flushId, event.results)) this.results.recorded(finished, now);
        return;
      case 'FlushFailed':
        this.flushes.fail(event.flushId, now);
        return;
      case 'LookupAnswered':
      case 'AttemptAnswered':
        this.onAnswered(event, now);
        return;
      case 'DrainRequested':
        this.isDraining = true;
        this.lanes.stopBeginning();
    }
  }

  private onClaimed(event: EventOf<'Claimed'>, now: number): void {
    const desk = this.desks.get(event.program);
    if (desk === undefined) return;
    desk.isClaiming = false;
    const isShort = event.lanes.length < event.asked / 2;
    desk.nextClaimAt = isShort ? now + this.settings.idlePollMs * (0.5 + this.random.unit()) : now;
    for (const lane of event.lanes) {
      this.book.hold(desk, lane);
      this.lanes.advance({ desk, work: startWork(lane) }, now);
    }
  }

  private onClaimFailed(event: EventOf<'ClaimFailed'>, now: number): void {
    const desk = this.desks.get(event.program);
    if (desk === undefined) return;
    desk.isClaiming = false;
    desk.nextClaimAt = now + claimRetryMs * (0.5 + this.random.unit());
  }

  private onAnswered(event: EventOf<'LookupAnswered'> | EventOf<'AttemptAnswered'>, now: number): void {
    const open = this.book.takeOpen(event);
    if (open === undefined) return;
    if (event.type === 'LookupAnswered') this.settler.lookupAnswered(open, event.report, now);
    else this.settler.attemptAnswered(open, event.report, now);
  }

  /** Gives waiting lanes their turn, as far as the gate allows. */
  private pump(desk: ProgramDesk, now: number): void {
    if (this.isDraining) {
      for (let work = desk.ready.take(); work !== undefined; work = desk.ready.take()) this.book.giveBack(work.lane);
      for (let work = desk.lookups.take(); work !== undefined; work = desk.lookups.take())
        this.book.giveBack(work.lane);
      return;
    }
    this.giveBackStale(desk, now);
    this.takeTurns(desk, now);
  }

  private takeTurns(desk: ProgramDesk, now: number): void {
    while (desk.ready.length > 0 && desk.gate.tryRequest(now)) {
      const work = desk.ready.take();
      if (work !== undefined) this.lanes.begin({ desk, work }, now);
    }
    while (desk.lookups.length > 0 && desk.gate.tryLookup(now)) {
      const work = desk.lookups.take();
      if (work !== undefined) this.lanes.lookup({ desk, work });
    }
  }

  /** A lane that has waited through half of its lease goes back: another replica may have room for it. */
  private giveBackStale(desk: ProgramDesk, now: number): void {
    for (const turns of [desk.ready, desk.lookups]) {
      for (let work = turns.peek(); work !== undefined; work = turns.peek()) {
        if (work.leaseUntil - now > this.settings.leaseMs / 2) break;
        turns.take();
        this.book.giveBack(work.lane);
      }
    }
  }

  private claims(now: number): DeliveryEffect[] {
    if (this.isDraining || this.flushes.isStruggling) return [];
    const effects: DeliveryEffect[] = [];
    for (const desk of this.desks.values()) {
      const limit = desk.claimSize(now, this.settings.lanesHeldMax - this.book.size);
      if (limit < 1) continue;
      desk.isClaiming = true;
      effects.push({ type: 'Claim', program: desk.name, limit, leaseUntil: now + this.settings.leaseMs });
    }
    return effects;
  }

  private timer(now: number): DeliveryEffect[] {
    const times = [...this.desks.values()].map((desk) => desk.nextWakeAt(now));
    const due = [...times, this.flushes.nextRetryAt()].filter((at): at is number => at !== null);
    return due.length === 0 ? [] : [{ type: 'SetTimer', at: Math.max(now + 1, Math.min(...due)) }];
  }

  private drained(): DeliveryEffect[] {
    const isBusy =
      this.book.size > 0 || this.flushes.size > 0 || [...this.desks.values()].some((desk) => desk.isClaiming);
    if (!this.isDraining || isBusy || this.isDrained) return [];
    this.isDrained = true;
    return [{ type: 'Drained' }];
  }
}

/** Pause after a claim that the database refused, jittered. */
const claimRetryMs = 500;
