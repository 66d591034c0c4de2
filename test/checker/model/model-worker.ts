import type { AttemptOutcome, DeliveryPolicy, IntentCommand, IntentEvent, IntentState, PassBefore } from '#domain';
import {
  decide,
  evolve,
  groupOf,
  isDrained,
  isSettled,
  nextFindingAt,
  nextPurchaseCheckAt,
  readsBefore,
  resolutionStep,
  touchesPass,
} from '#domain';

import type { AskedEffect, EventRow, HeardAnswer, IntentRow, ProgramPolicy } from '../history.js';
import { wayOut } from '../lane/way-out.js';
import type { Agenda } from './agenda.js';
import type { Chance } from '#shop';
import { findingOf, readBefore } from './model-finding.js';
import type { Begin, Completion } from './lane-model.js';
import { begunEvent, stateOf } from './lane-model.js';
import type { ModelLane } from './model-lane.js';
import type { Answer, ModelPartner, Pass } from './model-partner.js';
import { missedWindow, timedOut, timeoutMs } from './model-partner.js';
import type { ModelStep } from './model-step.js';
import { completionOf } from './model-step.js';
import type { ModelStore, StepResult } from './model-store.js';
import { leaseMs } from './model-store.js';
import type { Bug } from './plan.js';

export interface Surroundings {
  readonly agenda: Agenda;
  readonly chance: Chance;
  readonly store: ModelStore;
  readonly partner: ModelPartner;
  readonly program: ProgramPolicy;
  readonly trouble: { stalls: number };
  readonly bug: Bug | null;
}

/** A lane in a worker's hands. */
interface Lease {
  readonly lane: ModelLane;
  readonly intent: IntentRow;
  readonly state: IntentState;
  readonly policy: DeliveryPolicy;
  readonly asks: AskedEffect | null;
}

interface Sending extends Lease {
  readonly attempt: number;
  /** As it will be once the attempt is begun. */
  readonly begun: IntentState;
  readonly leaseUntil: number;
}

/** One delivering process: claims a lane, does its next step, gives it back. The product's rules in short. */
export class ModelWorker {
  isAlive = true;
  readonly heard: HeardAnswer[] = [];

  constructor(
    readonly name: string,
    private readonly around: Surroundings,
  ) {}

  start(): void {
    this.later(this.around.chance.between(1, 200), () => this.claim());
  }

  private get now(): number {
    return this.around.agenda.now;
  }

  private claim(): void {
    const { store } = this.around;
    const lane = store.claim(this.name, this.now);
    if (lane === null) this.start();
    else this.stand(() => this.advance(lane, null));
  }

  private advance(lane: ModelLane, before: PassBefore | null): void {
    const { store } = this.around;
    const intent = lane.intents[lane.cursor.current - 1];
    if (isDrained(lane.cursor) || intent === undefined) {
      store.release(lane.laneId, lane.epoch, this.now);
      this.start();
      return;
    }
    const asks = this.asksOf(lane, intent);
    const lease = { lane, intent, asks, state: this.stateOf(lane, intent.seq), policy: this.policyOf(intent, asks) };
    if (lane.attemptOpen) this.record(lease, { type: 'RecordLostAttempt', ...this.drawn(lease) });
    else if (isSettled(lease.state)) this.complete(lease, { kind: 'settle', dueAt: 0, pass: null, events: [] });
    else if (lease.state.status === 'unknown') this.resolve(lease, lease.state);
    else this.sendUnlessHeldBack(lease, before);
  }

  private stateOf(lane: ModelLane, seq: number): IntentState {
    const isBlind = this.around.bug === 'resent-after-a-yes';
    return stateOf(isBlind ? { ...lane, events: lane.events.map(withoutYes) } : lane, seq);
  }

  private asksOf(lane: ModelLane, intent: IntentRow): AskedEffect | null {
    const correction = lane.events.findLast(({ seq, event }) => seq === intent.seq && event.type === 'IntentCorrected');
    return correction?.asks === undefined || this.around.bug === 'correction-not-read' ? intent.asks : correction.asks;
  }

  private policyOf({ operation }: IntentRow, asks: AskedEffect | null): DeliveryPolicy {
    const { program, bug } = this.around;
    const { retries, missingPass, missingPurchase, onPark } = program;
    const wrong = onPark[groupOf(operation)] === 'block' ? 'continue' : 'block';
    return {
      operation,
      retries,
      missingPassWaitMs: missingPass.waitMs,
      missingPurchaseWaitMs: missingPurchase.waitMs,
      inFlightMs: bug === 'no-in-flight-wait' ? 0 : program.inFlightMs,
      onPark: bug === 'park-policy-ignored' ? wrong : onPark[groupOf(operation)],
      resolution: bug === 'parked-hastily' ? 'park' : wayOut(operation, asks, program),
      pointsDelta: asks?.pointsDelta ?? null,
    };
  }

  private drawn({ policy }: Pick<Lease, 'policy'>): { at: number; policy: DeliveryPolicy; chance: number } {
    return { at: this.now, policy, chance: this.around.chance.unit() };
  }

  private resolve(lease: Lease, state: Extract<IntentState, { status: 'unknown' }>): void {
    const { policy } = lease;
    if (this.around.bug === 'blind-resend') {
      this.begin(lease, null, null);
      return;
    }
    const step = resolutionStep(state, policy, this.now);
    switch (step.kind) {
      case 'wait':
        this.complete(lease, { kind: 'retry', dueAt: step.until, pass: null, events: [] });
        return;
      case 'look-up':
      case 'read':
        this.around.partner.lookup(
          lease.lane.memberId,
          this.alive((pass) => this.found(lease, state, pass)),
        );
        return;
      case 'resend':
        this.begin(lease, null, this.decided(lease, { type: 'ResolveUnknown', ...this.drawn(lease) }));
        return;
      case 'settle':
      case 'park':
        this.record(lease, { type: 'ResolveUnknown', ...this.drawn(lease) });
    }
  }

  private found(lease: Lease, state: Extract<IntentState, { status: 'unknown' }>, pass: Pass | 'absent' | null): void {
    const drawn = this.drawn(lease);
    const finding = findingOf(lease, pass);
    const decision = decide(lease.state, { type: 'RecordFinding', finding, ...drawn });
    if (decision.kind === 'events') this.complete(lease, completionOf(lease.intent.seq, decision.events));
    else this.complete(lease, { kind: 'retry', dueAt: nextFindingAt(state, drawn), pass: null, events: [] });
  }

  /** An unproven yes that came late may forbid what was decided on. */
  private sendUnlessHeldBack(lease: Lease, before: PassBefore | null): void {
    const parks = this.decided(lease, { type: 'ResolveUnknown', ...this.drawn(lease) });
    if (parks.length > 0) this.complete(lease, completionOf(lease.intent.seq, parks));
    else this.send(lease, before);
  }

  private send(lease: Lease, before: PassBefore | null): void {
    const { lane, intent, policy } = lease;
    const { partner, bug } = this.around;
    if (intent.waitsFor !== null && bug !== 'refund-does-not-wait' && this.awaitsPurchase(lease, intent.waitsFor)) {
      return;
    }
    if (touchesPass(intent.operation) && lane.pass !== 'known') {
      partner.lookup(
        lane.memberId,
        this.alive((pass) => this.sought(lease, pass)),
      );
      return;
    }
    if (readsBefore(policy.resolution) && before === null) {
      partner.lookup(
        lane.memberId,
        this.alive((pass) => this.advance(lane, readBefore(lease, pass))),
      );
      return;
    }
    const released = this.decided(lease, { type: 'ReleaseIntent', at: this.now });
    this.begin(lease, before, released);
  }

  /** Whether it waits: then that has been taken care of. */
  private awaitsPurchase(lease: Lease, seq: number): boolean {
    const { status } = stateOf(lease.lane, seq);
    if (status === 'delivered') return false;
    const purchase = status === 'cancelled' ? 'gone' : 'open';
    const drawn = this.drawn(lease);
    const events = this.decided(lease, { type: 'AwaitPurchase', purchase, ...drawn });
    const dueAt = nextPurchaseCheckAt(lease.state, { purchase, ...drawn });
    this.complete(
      lease,
      events.length > 0 ? completionOf(lease.intent.seq, events) : { kind: 'await', dueAt, pass: null, events: [] },
    );
    return true;
  }

  private sought(lease: Lease, pass: Pass | 'absent' | null): void {
    if (pass === null) {
      this.complete(lease, { kind: 'retry', dueAt: this.now + 1_000, pass: null, events: [] });
    } else if (pass === 'absent') {
      const events = this.decided(lease, { type: 'AwaitPass', ...this.drawn(lease) });
      const again: Completion = { kind: 'wait', dueAt: this.now + 2_000, pass: null, events: [] };
      this.complete(lease, events.length > 0 ? completionOf(lease.intent.seq, events) : again);
    } else {
      this.complete(lease, completionOf(lease.intent.seq, [{ type: 'PassFound', at: this.now }]));
    }
  }

  private decided({ state }: Lease, command: IntentCommand): readonly IntentEvent[] {
    return eventsOf(state, command);
  }

  private record(lease: Lease, command: IntentCommand): void {
    this.complete(lease, completionOf(lease.intent.seq, this.decided(lease, command)));
  }

  private complete(lease: Lease, completion: Completion): void {
    this.commit(this.stepOf(lease, { completion, begin: null }), () => this.start());
  }

  private stepOf(
    { lane, intent }: Lease,
    parts: Pick<ModelStep, 'completion' | 'begin'> & Partial<ModelStep>,
  ): ModelStep {
    const { laneId, epoch, attempt, attemptOpen, revision } = lane;
    return {
      laneId,
      epoch,
      seq: intent.seq,
      attempt,
      attemptOpen,
      revision,
      carriesAnswer: false,
      requestId: null,
      ...parts,
    };
  }

  private begin(lease: Lease, before: PassBefore | null, preceding: readonly IntentEvent[] | null): void {
    const { lane, intent, state } = lease;
    const { bug } = this.around;
    const events = preceding ?? [];
    const pending = events.reduce(evolve, state);
    const attempt = 1 + (pending.status === 'absent' ? 0 : pending.attempts);
    const leaseUntil = this.now + leaseMs;
    const sendBy = leaseUntil - 5_000;
    const begin: Begin = { seq: intent.seq, attempt, at: this.now, leaseUntil, sendBy, before };
    const sending = { ...lease, attempt, begun: evolve(pending, begunEvent(begin, this.now)), leaseUntil };
    const completion = events.length === 0 ? null : completionOf(intent.seq, events);
    if (bug === 'no-begin') {
      this.call(sending);
      return;
    }
    const step = this.stepOf(lease, { completion, begin });
    if (bug === 'send-before-commit') {
      this.call(sending);
      this.commit(step, () => undefined);
      return;
    }
    this.commit(step, ({ begun }) => {
      if (begun) this.stand(() => this.call(sending));
      else {
        this.around.store.release(lane.laneId, lane.epoch, this.now);
        this.start();
      }
    });
  }

  /** The deadline is looked at last: a request must not outlive its lease. */
  private call(sending: Sending): void {
    const { partner, bug } = this.around;
    const { asks, lane, leaseUntil } = sending;
    if (asks === null) throw new Error('nothing is asked that could be sent');
    if (this.now > leaseUntil - timeoutMs - 5_000) {
      this.answered(sending, { outcome: missedWindow, requestId: null });
      return;
    }
    partner.send(
      lane.memberId,
      asks,
      this.alive((answer) => this.stand(() => this.answered(sending, answer))),
    );
    if (bug === 'sent-twice') partner.send(lane.memberId, asks, () => undefined);
  }

  private answered(sending: Sending, { outcome, requestId }: Answer): void {
    const { lane, intent, attempt, begun } = sending;
    const { bug, store } = this.around;
    const drawn = this.drawn(sending);
    const seen = this.misread(outcome);
    const { laneId, epoch } = lane;
    this.heard.push({ laneId, seq: intent.seq, attempt, epoch, outcome: seen.kind });
    const events = this.outcomeEvents(sending, seen, drawn);
    const begunLane = bug === 'no-begin' ? {} : { attempt, attemptOpen: true };
    const step = this.stepOf(sending, {
      ...begunLane,
      completion: completionOf(intent.seq, events),
      begin: null,
      carriesAnswer: true,
      requestId,
    });
    if (begun.status !== 'delivering') throw new Error('an attempt that was not begun');
    this.commit(step, ({ completed }) => {
      const code = seen.kind === 'applied' ? 'applied' : seen.code;
      const isDropped = completed || bug === 'late-outcome-dropped';
      if (!isDropped || (completed && bug === 'lost-acknowledgement-is-late')) {
        store.late({ laneId, seq: intent.seq, epoch, attempt, outcome: seen.kind, code, requestId }, this.now);
      }
      this.start();
    });
  }

  private misread(outcome: AttemptOutcome): AttemptOutcome {
    const { bug } = this.around;
    if (outcome.kind !== 'unknown') return outcome;
    if (bug === 'any-object-is-applied' && outcome.code === 'unproven-200') return { kind: 'applied' };
    if (bug === 'timeout-is-applied') return { kind: 'applied' };
    if (bug === 'timeout-is-not-applied') return timedOut;
    return outcome;
  }

  private outcomeEvents(
    { begun, attempt, intent }: Sending,
    outcome: AttemptOutcome,
    drawn: { readonly at: number; readonly policy: DeliveryPolicy; readonly chance: number },
  ): readonly IntentEvent[] {
    const { at } = drawn;
    const isDuplicate = outcome.kind === 'rejected' && outcome.code === 'duplicate' && intent.operation !== 'issue';
    if (isDuplicate && this.around.bug === 'duplicate-is-applied') {
      return [
        { type: 'AttemptRejected', at, attempt, code: 'duplicate' },
        { type: 'VerifiedApplied', at, attempt, evidence: 'duplicate-refusal' },
      ];
    }
    if (outcome.kind === 'unknown' && this.around.bug === 'resent-after-a-yes') {
      const events = eventsOf(begun, {
        type: 'RecordOutcome',
        attempt,
        outcome: { ...outcome, code: 'timeout' },
        ...drawn,
      });
      return events.map((event) => (event.type === 'AttemptUnknown' ? { ...event, code: outcome.code } : event));
    }
    return eventsOf(begun, { type: 'RecordOutcome', attempt, outcome, ...drawn });
  }

  /** A transaction outlives its process once it is under way. */
  private commit(step: ModelStep, then: (result: StepResult) => void): void {
    const { agenda, chance, store } = this.around;
    const acknowledged = this.alive(then);
    agenda.after(chance.between(1, 5), () => {
      const result = store.step(step, agenda.now);
      agenda.after(chance.between(1, 5), () => acknowledged(result));
    });
  }

  /** Now and then the process stands still, sometimes for longer than its lease lasts. */
  private stand(then: () => void): void {
    const { chance, trouble } = this.around;
    this.later(chance.happens(trouble.stalls) ? chance.between(1, 2 * leaseMs) : 0, then);
  }

  private later(delayMs: number, task: () => void): void {
    this.around.agenda.after(delayMs, () => {
      if (this.isAlive) task();
    });
  }

  private alive<T>(task: (value: T) => void): (value: T) => void {
    return (value) => {
      if (this.isAlive) task(value);
    };
  }
}

function eventsOf(state: IntentState, command: IntentCommand): readonly IntentEvent[] {
  const decision = decide(state, command);
  return decision.kind === 'events' ? decision.events : [];
}

/** As if the answer had been lost. */
function withoutYes(row: EventRow): EventRow {
  const { event } = row;
  const isUnknown = event.type === 'AttemptUnknown' || event.type === 'LateOutcome';
  return isUnknown ? { ...row, event: { ...event, code: 'timeout' } } : row;
}
