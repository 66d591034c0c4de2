import type { ClaimedIntent, LaneBegin, LaneCompletion, LaneStep } from '#intents';

import type { DeliverySettings } from '../settings.js';
import { completionOf } from './completion.js';
import type { DeliveryEffect } from './delivery-effect.js';
import type { AttemptAnswer, FinishedStep, FlushQueue, PendingStep } from './flush-queue.js';
import type { LaneWork } from './lane-work.js';
import { afterBegin, afterCompletion, currentIntent, stateOf } from './lane-work.js';
import type { Lease } from './lease.js';
import { leaseKey } from './lease.js';
import { nextAction } from './next-action.js';
import { lostObservation, parkObservation } from './observe.js';
import type { Observation } from './observation.js';
import type { ProgramDesk } from './program-desk.js';

/** A lane with a call to the partner under way. */
export interface OpenCall {
  readonly desk: ProgramDesk;
  readonly work: LaneWork;
  readonly intent: ClaimedIntent;
}

export interface Recording {
  readonly completion: LaneCompletion;
  readonly answer: AttemptAnswer | null;
  readonly observation: Observation | null;
}

/** Moves lanes through their stages: waiting for a turn, being recorded, out at the partner. One stage at a time. */
export class LaneSteps {
  private readonly desksByLease = new Map<string, ProgramDesk>();
  private readonly open = new Map<string, OpenCall>();
  private isStopping = false;
  private effects: DeliveryEffect[] = [];
  private releases: { readonly laneId: number; readonly epoch: number }[] = [];

  constructor(
    private readonly settings: DeliverySettings,
    private readonly flushes: FlushQueue,
  ) {}

  get size(): number {
    return this.desksByLease.size;
  }

  takeEffects(): DeliveryEffect[] {
    const effects = this.effects;
    if (this.releases.length > 0) effects.push({ type: 'Release', lanes: this.releases });
    this.effects = [];
    this.releases = [];
    return effects;
  }

  /** From now on only what is open is finished; nothing new is begun. */
  stopBeginning(): void {
    this.isStopping = true;
  }

  hold(desk: ProgramDesk, lease: Lease): void {
    this.desksByLease.set(leaseKey(lease), desk);
    desk.held += 1;
  }

  giveBack(work: LaneWork): void {
    this.releases.push({ laneId: work.lane.laneId, epoch: work.lane.epoch });
    this.drop(work.lane);
  }

  private drop(lease: Lease): void {
    const desk = this.desksByLease.get(leaseKey(lease));
    if (desk === undefined) return;
    this.desksByLease.delete(leaseKey(lease));
    desk.held -= 1;
  }

  /** Puts a lane on its next step. */
  advance(desk: ProgramDesk, work: LaneWork, now: number): void {
    const action = nextAction(work, { program: desk.program, now });
    switch (action.kind) {
      case 'give-back':
        this.giveBack(work);
        return;
      case 'lookup':
        desk.lookups.add(work);
        return;
      case 'begin':
        desk.ready.add(work);
        return;
      case 'record': {
        const { completion, isLostAttempt } = action;
        const observation = isLostAttempt ? lostObservation(desk, work, now) : parkObservation(desk, work, completion);
        this.record(desk, work, { completion, answer: null, observation }, now);
      }
    }
  }

  /** Begins the current attempt; the right to the request has been taken. */
  begin(desk: ProgramDesk, work: LaneWork, now: number): void {
    const action = nextAction(work, { program: desk.program, now });
    if (action.kind !== 'begin') {
      desk.gate.finished();
      this.advance(desk, work, now);
      return;
    }
    const begin = { seq: action.seq, attempt: action.attempt, leaseUntil: now + this.settings.leaseMs };
    const completed = action.before === null ? work : afterCompletion(work, action.before);
    this.push(work, { completion: action.before, begin }, { completed, answer: null, observation: null });
  }

  lookup(desk: ProgramDesk, work: LaneWork): void {
    const intent = currentIntent(work);
    if (intent?.command === undefined || intent.command === null) {
      desk.gate.lookupFinished();
      this.giveBack(work);
      return;
    }
    const { laneId, epoch } = work.lane;
    this.open.set(leaseKey(work.lane), { desk, work, intent });
    this.effects.push({ type: 'Lookup', program: desk.name, laneId, epoch, command: intent.command });
  }

  takeOpen(lease: Lease): OpenCall | undefined {
    const call = this.open.get(leaseKey(lease));
    this.open.delete(leaseKey(lease));
    return call;
  }

  /** Records a completion and, when the lane may go on at once, begins its next attempt in the same statement. */
  record(desk: ProgramDesk, work: LaneWork, recording: Recording, now: number): void {
    const completed = afterCompletion(work, recording.completion);
    const { completion, begin } = this.tryMerge(desk, completed, recording.completion, now);
    const after = completion === recording.completion ? completed : afterCompletion(work, completion);
    const { answer, observation } = recording;
    this.push(work, { completion, begin }, { completed: after, answer, observation });
  }

  private tryMerge(
    desk: ProgramDesk,
    completed: LaneWork,
    completion: LaneCompletion,
    now: number,
  ): { readonly completion: LaneCompletion; readonly begin: LaneBegin | null } {
    const goesOn = completion.kind === 'settle' || completion.kind === 'stay';
    const next = goesOn ? nextAction(completed, { program: desk.program, now }) : null;
    if (this.isStopping || next?.kind !== 'begin' || !desk.gate.tryRequest(now)) return { completion, begin: null };
    const begin = { seq: next.seq, attempt: next.attempt, leaseUntil: now + this.settings.leaseMs };
    if (next.before === null) return { completion, begin };
    return { completion: { ...completion, events: [...completion.events, ...next.before.events] }, begin };
  }

  private push(
    work: LaneWork,
    parts: { readonly completion: LaneCompletion | null; readonly begin: LaneBegin | null },
    rest: Omit<PendingStep, 'step'>,
  ): void {
    const { laneId, epoch, revision } = work.lane;
    const { attempt, attemptOpen, cursor } = work;
    const step: LaneStep = { laneId, epoch, seq: cursor.current, attempt, attemptOpen, revision, ...parts };
    this.flushes.add({ step, ...rest });
  }

  /** The database has answered: go on with what was granted. */
  recorded({ item, result, startedAt }: FinishedStep, now: number): void {
    const { step } = item;
    const desk = this.desksByLease.get(leaseKey(step));
    if (desk === undefined) return;
    if (step.completion !== null && !result.completed) this.fenced(desk, item, now);
    else if (item.observation !== null) this.effects.push({ type: 'Observe', observation: item.observation });
    if (step.begin === null) {
      this.drop(step);
      return;
    }
    if (result.begun) this.send(desk, afterBegin(item.completed, step.begin, startedAt), { startedAt, now });
    else this.notBegun(desk, item, result.completed);
  }

  private notBegun(desk: ProgramDesk, item: PendingStep, wasCompleted: boolean): void {
    desk.gate.finished();
    // A granted completion has released the lease already; a refused begin alone has not.
    if (wasCompleted) this.drop(item.step);
    else this.giveBack(item.completed);
  }

  private fenced(desk: ProgramDesk, item: PendingStep, now: number): void {
    const { laneId, epoch } = item.step;
    this.effects.push({ type: 'Observe', observation: { kind: 'fenced', program: desk.name, laneId } });
    if (item.answer === null) return;
    const { seq, attempt, outcome, evidence } = item.answer;
    const code = outcome.kind === 'applied' ? 'applied' : outcome.code;
    const event = { type: 'LateOutcome', at: now, attempt, outcome: outcome.kind, code } as const;
    this.effects.push({ type: 'RecordLate', outcomes: [{ laneId, epoch, seq, event, evidence }] });
  }

  private send(desk: ProgramDesk, work: LaneWork, times: { readonly startedAt: number; readonly now: number }): void {
    const intent = currentIntent(work);
    const { laneId, epoch } = work.lane;
    if (intent?.command === undefined || intent.command === null)
      throw new Error('an attempt was begun without a command');
    if (times.now - times.startedAt > this.settings.sendWindowMs) {
      this.notSent(desk, work, intent, times.now);
      return;
    }
    this.open.set(leaseKey(work.lane), { desk, work, intent });
    this.effects.push({ type: 'Send', program: desk.name, laneId, epoch, command: intent.command });
  }

  /** The begin took too long to be recorded: sending now might outlive the lease. Nothing was sent. */
  private notSent(desk: ProgramDesk, work: LaneWork, intent: ClaimedIntent, now: number): void {
    desk.gate.finished();
    const state = stateOf(work, intent.seq);
    const attempt = state.status === 'delivering' ? state.attempt : work.attempt;
    const event = {
      type: 'AttemptNotApplied',
      at: now,
      attempt,
      code: 'send-window-missed',
      answered: false,
      retryAt: now,
    } as const;
    const completion = completionOf(intent.seq, [event], null);
    this.push(
      work,
      { completion, begin: null },
      { completed: afterCompletion(work, completion), answer: null, observation: null },
    );
  }
}
