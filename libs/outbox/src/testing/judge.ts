import type { Operation } from '#intents/core';
import { evolve } from '#intents/core';
import { replicaTtlMs } from '#intents';

import type { DeliveryEffect, DeliveryEvent } from '../engine/messages.js';
import type { DeliverySettings } from '../settings.js';
import { sendByOf } from '../settings.js';
import type { EngineProcess, ProcessContext, Witness } from './engine-process.js';
import type { FakeCoordination, StoredEvent, StoredLane } from './fake-store.js';
import { recordedState } from './fake-store.js';
import { AnswerCheck, isOutcome, misplacedEvent, problemsAtRest, SendCheck } from './lane-checks.js';
import { isStuck } from './lane-model.js';
import type { Scenario } from './scenario.js';

/** A second where nothing fails or stands still. */
const seenWithinMs = 1_000;

/** Whether nothing of a paused program or operation is begun once every replica must know of the pause. */
class PauseCheck {
  private readonly toleranceMs: number;

  constructor(
    private readonly coordination: FakeCoordination,
    { trouble, mishaps }: Scenario,
    { sendWindowMs }: DeliverySettings,
  ) {
    const isSmooth = trouble.database === 0 && trouble.stall === 0 && mishaps.databaseOutages === 0;
    // A replica that hears nothing any more begins on for as long as the others count it, and a begin may wait.
    this.toleranceMs = isSmooth ? seenWithinMs : replicaTtlMs + sendWindowMs;
  }

  /** What is wrong with a begin at that time, or null. */
  problemOf(begun: { readonly program: string; readonly operation: string; readonly at: number }): string | null {
    // What delivery holds by itself it tries now and then.
    const pause = this.coordination.pauses.find(
      ({ program, operation, automatic }) =>
        !automatic &&
        (program === null || program === begun.program) &&
        (operation === null || operation === begun.operation),
    );
    if (pause === undefined || begun.at <= pause.since + this.toleranceMs) return null;
    return `${begun.operation} begun ${begun.at - pause.since} ms after it was paused`;
  }
}

/** Timers that led to nothing, within one second: more is a loop that spins. */
const idleTimersMax = 20;

/** Watches how busy one engine is: claims and timers must keep their pace when there is nothing to do. */
class PaceCheck {
  private readonly emptyClaimAt = new Map<string, number>();
  private readonly flushes = new Set<number>();
  private readonly wokenMeanwhile = new Set<string>();
  private readonly underWay = new Set<string>();
  private idleTimers: number[] = [];

  constructor(private readonly settings: DeliverySettings) {}

  /** @returns what is wrong with this turn */
  turned(events: readonly DeliveryEvent[], effects: readonly DeliveryEffect[], now: number): string[] {
    for (const event of events) this.hear(event, now);
    const problems = effects.flatMap((effect) => this.see(effect, now));
    if (this.flushes.size > this.settings.flushesMax) problems.push(`${this.flushes.size} group commits at once`);
    const isTimer = events.every((event) => event.type === 'Woken' && !event.isWorkLikely);
    const isIdle = isTimer && effects.every(({ type }) => type === 'SetTimer');
    this.idleTimers = this.idleTimers.filter((at) => at > now - 1_000);
    if (isIdle) this.idleTimers.push(now);
    return this.idleTimers.length > idleTimersMax ? [...problems, 'timers without work'] : problems;
  }

  private hear(event: DeliveryEvent, now: number): void {
    if (isWakeUp(event)) {
      this.emptyClaimAt.clear();
      for (const program of this.underWay) this.wokenMeanwhile.add(program);
    }
    if (event.type === 'Claimed') this.answered(event.program, event.lanes.length > 0, now);
    if (event.type === 'Flushed' || event.type === 'FlushFailed') this.flushes.delete(event.flushId);
    if (event.type === 'ClaimFailed') this.answered(event.program, false, now);
  }

  private answered(program: string, isGoingOn: boolean, now: number): void {
    this.underWay.delete(program);
    const mayClaimAgain = isGoingOn || this.wokenMeanwhile.delete(program);
    if (mayClaimAgain) this.emptyClaimAt.delete(program);
    else this.emptyClaimAt.set(program, now);
  }

  private see(effect: DeliveryEffect, now: number): string[] {
    if (effect.type === 'SetTimer') return effect.at > now ? [] : ['a timer in the past'];
    if (effect.type === 'Flush') this.flushes.add(effect.flushId);
    if (effect.type === 'FindBegun') this.underWay.add(effect.program);
    if (effect.type !== 'Claim') return [];
    const { program } = effect;
    const problems: string[] = [];
    if (this.underWay.has(program)) problems.push('two claims of one program at once');
    const emptyAt = this.emptyClaimAt.get(program) ?? -Infinity;
    if (now - emptyAt < this.settings.idlePollMs / 2) problems.push('a claim right after an empty one');
    this.underWay.add(program);
    return problems;
  }
}

/** Work may be due: who has just claimed in vain may claim again. */
function isWakeUp(event: DeliveryEvent): boolean {
  return event.type === 'Woken' ? event.isWorkLikely : event.type === 'Resumed' && event.count > 0;
}

type SendEffect = Extract<DeliveryEffect, { type: 'Send' }>;

/** Sees everything that happens in a world and notes what must not. */
export class Judge implements Witness {
  readonly violations: string[] = [];
  /** Programs that may be claimed just now. */
  programs = new Set<string>();
  private readonly judgedEvents = new Map<number, number>();
  private readonly sends = new SendCheck();
  private readonly paces = new Map<EngineProcess, PaceCheck>();
  private readonly answers: AnswerCheck;
  private readonly pauses: PauseCheck;

  constructor(
    private readonly around: ProcessContext,
    private readonly scenario: Scenario,
  ) {
    this.answers = new AnswerCheck(around.store);
    this.pauses = new PauseCheck(around.coordination, scenario, around.settings);
  }

  /** A transaction has changed the lane. */
  changed(lane: StoredLane): void {
    if (isStuck(lane)) this.accuse(lane, 'not due although it has work');
    const from = this.judgedEvents.get(lane.laneId) ?? 0;
    this.judgedEvents.set(lane.laneId, lane.events.length);
    for (const [index, row] of lane.events.entries()) if (index >= from) this.judgeEvent(lane, row, index);
  }

  turned(process: EngineProcess, events: readonly DeliveryEvent[], effects: readonly DeliveryEffect[]): void {
    const { settings, agenda } = this.around;
    const pace = this.paces.get(process) ?? new PaceCheck(settings);
    this.paces.set(process, pace);
    for (const problem of pace.turned(events, effects, agenda.now)) this.note(`${process.name}: ${problem}`);
    this.answers.heard(process, events);
    this.judgeLoad(process);
    for (const effect of effects) {
      if (effect.type === 'Claim' && !this.programs.has(effect.program)) this.note('a program without a place claims');
    }
  }

  sent(send: SendEffect, endsAt: number): void {
    const { agenda, settings, store } = this.around;
    const lane = store.lanes.get(send.laneId);
    if (lane === undefined) return;
    const times = { now: agenda.now, endsAt, timeoutMs: settings.partnerTimeoutMs };
    for (const problem of this.sends.judge(lane, send, times)) this.accuse(lane, problem);
  }

  /** Everything has come to rest, or should have. */
  atRest(): void {
    const { store, partner } = this.around;
    const byLane = Map.groupBy(partner.ledger, ({ laneId }) => laneId);
    for (const lane of store.lanes.values()) {
      if (lane.dueAt !== null) this.accuse(lane, `never came to rest (${lane.state}, owner ${lane.owner ?? 'nobody'})`);
      this.violations.push(...problemsAtRest(lane, byLane.get(lane.laneId) ?? []));
    }
    // Where steps are refused as defective, an engine may give an answer up.
    if (this.scenario.mishaps.poisonings === 0) this.violations.push(...this.answers.lost());
  }

  note(problem: string): void {
    this.violations.push(`${this.around.agenda.now}: ${problem}`);
  }

  private judgeLoad({ name, engine }: EngineProcess): void {
    const { lanes, requests, lookups } = engine.load;
    const { concurrency } = this.scenario.limits;
    const programs = 2;
    if (lanes > this.around.settings.lanesHeldMax) this.note(`${name} holds ${lanes} lanes`);
    if (requests < 0 || requests > programs * concurrency) this.note(`${name} has ${requests} requests under way`);
    if (lookups < 0 || lookups > programs) this.note(`${name} has ${lookups} lookups under way`);
  }

  private judgeEvent(lane: StoredLane, row: StoredEvent, index: number): void {
    const { seq, event, epoch } = row;
    const intent = lane.intents[seq - 1];
    if (intent === undefined) {
      this.accuse(lane, `${event.type} of intent ${seq}, which is not recorded`);
      return;
    }
    const before = lane.events.slice(0, index).filter((other) => other.seq === seq);
    const state = before.reduce((known, other) => evolve(known, other.event), recordedState(intent));
    const misplaced = misplacedEvent(state, event);
    if (misplaced !== null) this.accuse(lane, `intent ${seq}: ${misplaced}`);
    const isToldTwice = before.some((other) => isOutcome(other, row));
    if (event.type === 'LateOutcome' && isToldTwice) this.accuse(lane, `intent ${seq}: LateOutcome of what is known`);
    if (event.type !== 'LateOutcome' && epoch !== lane.epoch) this.accuse(lane, `${event.type} under an old epoch`);
    if (event.type === 'AttemptBegun') this.judgeBegin(lane, intent.operation, event.at);
  }

  /** A begin that is recorded too late is never sent, but looks to everybody like a request under way. */
  private judgeBegin(lane: StoredLane, operation: Operation, at: number): void {
    const ofPause = this.pauses.problemOf({ program: lane.program, operation, at });
    if (ofPause !== null) this.accuse(lane, ofPause);
    if (at > sendByOf(lane.dueAt ?? 0, this.around.settings)) {
      this.accuse(lane, 'begun with too little of its lease left');
    }
  }

  private accuse(lane: StoredLane, problem: string): void {
    this.note(`lane ${lane.laneId}: ${problem}`);
  }
}
