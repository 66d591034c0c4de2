import type { Operation } from '#domain';
import { evolve } from '#domain';

import type { DeliveryEffect, DeliveryEvent } from '../engine/messages.js';
import { sendByOf } from '../settings.js';
import { AnswerCheck, isOutcome } from './answer-check.js';
import { misplacedEvent } from './history-check.js';
import { PaceCheck } from './pace-check.js';
import { PauseCheck } from './pause-check.js';
import { problemsAtRest } from './rest-check.js';
import type { Scenario } from './scenario.js';
import { SendCheck } from './send-check.js';
import type { StoredEvent, StoredLane } from './stored-lane.js';
import { intentOf, isStuck, recordedState } from './stored-lane.js';
import type { EngineProcess, Surroundings, Witness } from './surroundings.js';

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
    private readonly around: Surroundings,
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
    const intent = intentOf(lane, seq);
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
