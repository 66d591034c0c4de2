import type { WalletPass } from '#contracts';
import type { AttemptOutcome, IntentEvent, Lookup, NextStep, Renewal, Sending } from '#intents/core';
import {
  attemptRefusedAsDuplicate,
  decideAnswer,
  decideLookup,
  isDrained,
  meaningForAll,
  nextStep,
  passAnswered,
  readLookup,
  requeuedOutcome,
  stepAside,
} from '#intents/core';
import { renewalOfAnswered, renewalOfFound } from '#members';
import type { ClaimedIntent, ClaimedLane, LaneBegin, LaneCompletion, LaneStep, Lease, StepResult } from '#intents';
import { leaseKey } from '#intents';
import type { Random } from '#platform';

import { judgeAttempt, judgeLookup } from '../gate/judge-answer.js';
import { showingOf } from '../gate/refusal-window.js';
import type { DeliverySettings } from '../settings.js';
import { leaseNeededMs } from '../settings.js';
import { Queue } from './fair-queues.js';
import type { FinishedStep, GroupCommit, PendingStep } from './group-commit.js';
import type { LaneWork } from './lane-work.js';
import {
  afterBegin,
  afterCompletion,
  callOf,
  comeBack,
  completionFor,
  completionOf,
  currentIntent,
  isReplay,
  namedForLookup,
  namedForSend,
  recordsFirst,
  sendingOf,
  shownFor,
  startWork,
  withName,
  withPass,
  withRenewal,
} from './lane-work.js';
import type { CallOrigin, DeliveryEffect, LookupAnswer, LookupCallPurpose, PartnerCall } from './messages.js';
import { sentTooLate, withdrawn } from './messages.js';
import type { AttemptAnswer } from './observation.js';
import { observationOf } from './observation.js';
import type { ScheduledProgram } from './scheduled-program.js';
import { SlotMap } from './slot-map.js';

/** A held lane and its program. */
interface HeldLane {
  readonly program: ScheduledProgram;
  readonly work: LaneWork;
}

/** A lane with a call to the partner under way. */
interface OpenCall extends HeldLane {
  readonly intent: ClaimedIntent;
  readonly purpose: LookupCallPurpose | 'send';
}

/** A call whose right to be made has been taken, and that waits until one before it has ended. */
interface WaitingCall {
  readonly call: OpenCall;
  /** Epoch ms: later it must not be made. */
  readonly sendBy: number;
}

type BeginStep = Extract<NextStep, { kind: 'begin' }>;

/** What is to be done next for a lane's current intent. */
interface Planned<Step = NextStep> {
  readonly intent: ClaimedIntent;
  readonly step: Step;
}

function isBegin(planned: Planned): planned is Planned<BeginStep> {
  return planned.step.kind === 'begin';
}

/** What is appended before a begin, in the same statement. */
function precedingOf({ intent, step }: Planned<BeginStep>): LaneCompletion {
  return completionOf(intent, step.preceding, step.evidence);
}

/**
 * Decides what is done for each held lane, one stage at a time: a turn at the gate, a begin, a call, and what the answer means.
 * Everything is recorded by the next group commit, and a call is made only when its begin has been recorded.
 */
export class LaneMachine {
  /** The program of each lane that we hold. */
  private readonly holders = new Map<number, ScheduledProgram>();
  private readonly open = new SlotMap<OpenCall>();
  /** In the order of their coming: how many may be under way at once is the partner's, not the database's. */
  private readonly waiting = new Map<ScheduledProgram, Queue<WaitingCall>>();
  private effects: DeliveryEffect[] = [];
  private releases: Lease[] = [];
  private isStopping = false;

  constructor(
    private readonly commits: GroupCommit,
    private readonly settings: DeliverySettings,
    private readonly random: Pick<Random, 'unit'>,
  ) {}

  /** Lanes held. */
  get held(): number {
    return this.holders.size;
  }

  get openCalls(): number {
    return this.open.size;
  }

  /** What is to be done, since this was asked last. */
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

  /** Whether we hold it by that very lease. */
  holds(lease: Lease): boolean {
    return this.holders.has(leaseKey(lease));
  }

  /** A claim has brought a lane. */
  claimed(program: ScheduledProgram, lane: ClaimedLane, now: number): void {
    this.holders.set(leaseKey(lane), program);
    program.held += 1;
    const held = { program, work: startWork(lane) };
    if (lane.begunAt === undefined) this.advance(held, now);
    else this.begunWithLease(held, lane.begunAt, now);
  }

  /** What the claim has begun is sent, or withdrawn where what it has read now says that something else comes first. */
  private begunWithLease({ program, work }: HeldLane, at: number, now: number): void {
    const { leaseMs, sendWindowMs } = this.settings;
    const { leaseUntil } = work;
    const sendBy = leaseUntil - leaseMs + sendWindowMs;
    const next = this.plan({ program, work }, now);
    const isStill = next !== null && isBegin(next) && next.step.preceding.length === 0;
    const begun = afterBegin(work, { seq: work.cursor.current, attempt: 1, before: null, leaseUntil, sendBy }, at);
    if (isStill) {
      this.awaitPlace({ program, work: begun }, 'send', sendBy);
      return;
    }
    program.gate.withdrawn();
    this.settle(openCallOf({ program, work: begun }, 'send'), { report: withdrawn }, now);
  }

  /** The lane may still be leased to us: release it. */
  release({ laneId, epoch }: Lease): void {
    this.releases.push({ laneId, epoch });
    this.drop({ laneId, epoch }, 0);
  }

  /** The lane is no longer ours and the database knows it. @param dueAt when it comes due, epoch ms */
  private drop(lease: Lease, dueAt: number): void {
    const key = leaseKey(lease);
    const program = this.holders.get(key);
    if (program === undefined) return;
    this.holders.delete(key);
    program.held -= 1;
    program.comesDue(dueAt);
  }

  /** Puts a lane on its next step; one without a loaded intent to work on is released. */
  private advance({ program, work }: HeldLane, now: number): void {
    const planned = this.plan({ program, work }, now);
    if (planned === null) {
      this.release(work.lane);
      return;
    }
    const { intent, step } = planned;
    switch (step.kind) {
      case 'look-up':
        // A read before an attempt is part of that attempt: it takes the place of a request, not of a lookup.
        this.queue({ program, work }, step.purpose === 'before' ? 'request' : 'lookup', now);
        return;
      case 'begin':
        this.queue({ program, work }, 'request', now);
        return;
      case 'record':
      case 'record-lost':
      case 'come-back':
      case 'step-over':
        this.record({ program, work }, completionFor(intent, step), now);
    }
  }

  /**
   * Null where no intent of the lane is loaded. What a narrow hold concerns steps aside; else, while its call is held, a lane waits
   * where it costs nothing.
   */
  private plan({ program, work }: HeldLane, now: number): Planned | null {
    const intent = currentIntent(work);
    const chance = this.random.unit();
    if (isDrained(work.cursor) || intent === undefined) return null;
    const sending = sendingOf(program, work, intent, now);
    const step = nextStep(sending, chance);
    const isRead = step.kind === 'look-up';
    const mayBeHeld = (step.kind === 'begin' || isRead) && program.pauses.holdsAny;
    const held = mayBeHeld ? program.pauses.deferral({ ...callOf(intent, work), isRead }, now) : null;
    if (held === null) return { intent, step };
    const { factor, until } = held;
    const aside = factor === null ? null : stepAside(sending, { heldBy: factor, heldUntil: until });
    return { intent, step: aside ?? { kind: 'come-back', as: 'retry', dueAt: until } };
  }

  /** Waits for a turn; where so many wait for the same that other lanes could not be held, the lane comes back later. */
  private queue(held: HeldLane, kind: 'request' | 'lookup', now: number): void {
    const { queues, gate } = held.program;
    const place = { kind, isReplay: isReplay(held.work) };
    const deferMs = queues.enqueue(held.work, place, gate.lanesWorthHolding(now));
    if (deferMs !== null) {
      this.record(held, comeBack('retry', now + deferMs * (0.5 + this.random.unit())), now);
    }
  }

  /** Begins the current attempt; the right to the request has been taken. */
  begin({ program, work }: HeldLane, now: number): void {
    const next = this.plan({ program, work }, now);
    if (next !== null && isBegin(next)) {
      const completion = next.step.preceding.length === 0 ? null : precedingOf(next);
      const completed = completion === null ? work : afterCompletion(work, completion);
      const observation =
        completion === null
          ? null
          : observationOf(program.name, { before: work, after: completed }, { completion, answer: null, now });
      const parts = { completion, begin: this.beginOf({ program, work }, next, now) };
      this.push(work, parts, { completed, answer: null, observation });
      return;
    }
    if (next?.step.kind === 'look-up' && next.step.purpose === 'before') {
      this.awaitPlace({ program, work }, 'before', now + this.settings.sendWindowMs);
      return;
    }
    program.gate.withdrawn();
    this.advance({ program, work }, now);
  }

  /** Renews the lease only when what is left of it does not cover the request. */
  private beginOf({ program, work }: HeldLane, { intent: { seq }, step }: Planned<BeginStep>, now: number): LaneBegin {
    const { attempt, before } = step;
    const isLong = work.leaseUntil - now >= leaseNeededMs(this.settings);
    const leaseUntil = isLong ? work.leaseUntil : program.renewedLease(now);
    return { seq, attempt, before, leaseUntil, sendBy: now + this.settings.sendWindowMs };
  }

  private push(work: LaneWork, parts: Pick<LaneStep, 'completion' | 'begin'>, rest: Omit<PendingStep, 'step'>): void {
    const { laneId, epoch, revision, key } = work.lane;
    const { attempt, attemptOpen, cursor } = work;
    const carriesAnswer = rest.answer !== null;
    const at = { key, laneId, epoch, seq: cursor.current, attempt, attemptOpen, revision };
    this.commits.add({ step: { ...at, ...parts, carriesAnswer }, ...rest });
  }

  /** The database has answered a step: what was begun is sent, the rest is let go of. */
  recorded({ item, result, startedAt }: FinishedStep, now: number): void {
    const { step, completed, observation } = item;
    const program = this.holders.get(leaseKey(step));
    if (program === undefined) return;
    if (step.completion !== null && !result.completed) this.refused(program, item, now);
    else if (observation !== null) this.effects.push({ type: 'Observe', observation });
    if (step.begin !== null && result.begun) {
      this.awaitPlace({ program, work: afterBegin(completed, step.begin, startedAt) }, 'send', step.begin.sendBy);
    } else {
      this.letGo(program, item, result);
    }
  }

  /** A step that can never be recorded. The next claim of the lane finds what was open in it. */
  givenUp(item: PendingStep): void {
    const program = this.holders.get(leaseKey(item.step));
    // Its lease runs on.
    if (program !== undefined) this.letGo(program, item, { completed: true, dueAt: Infinity });
  }

  private letGo(
    program: ScheduledProgram,
    { step }: PendingStep,
    { completed, dueAt }: Pick<StepResult, 'completed' | 'dueAt'>,
  ): void {
    if (step.begin !== null) program.gate.withdrawn();
    // A granted completion has released the lease already; after a refusal the lane may still be ours.
    if (completed) this.drop(step, dueAt);
    else this.release(step);
  }

  /** Refused without an attempt: others have appended, the next claim reads it. With one, the lane is not ours any more. */
  private refused(program: ScheduledProgram, { step, answer }: PendingStep, now: number): void {
    const { laneId, epoch, key, seq, attempt, attemptOpen } = step;
    if (!attemptOpen) return;
    this.effects.push({ type: 'Observe', observation: { kind: 'fenced', program: program.name, laneId } });
    // What the partner answered is knowledge all the same.
    if (answer === null) return;
    const { report, evidence, renewal } = answer;
    const { kind: outcome } = report.outcome;
    const code = report.outcome.kind === 'applied' ? 'applied' : report.outcome.code;
    const event = { type: 'LateOutcome', at: now, attempt, outcome, code } as const;
    const sendsKept = program.config.onRejoin === 'send';
    this.effects.push({
      type: 'RecordLate',
      outcomes: [{ key, laneId, epoch, seq, event, evidence, renewal, sendsKept }],
    });
  }

  private awaitPlace({ program, work }: HeldLane, purpose: 'before' | 'send', sendBy: number): void {
    const queue = this.waiting.get(program) ?? new Queue();
    this.waiting.set(program, queue);
    queue.add({ call: openCallOf({ program, work }, purpose), sendBy });
  }

  /** Makes calls that have been begun and have a place at the partner now, unless it is too late for them. */
  makeCalls(program: ScheduledProgram, now: number): void {
    const { gate } = program;
    for (let next = this.nextCall(program, now); next !== null; next = this.nextCall(program, now)) {
      const { call, sendBy } = next;
      if (now <= sendBy) {
        gate.sent();
        if (call.purpose === 'send') this.effects.push({ type: 'Send', sendBy, ...this.openCall(call) });
        else this.makeLookup(call, false);
        continue;
      }
      gate.withdrawn();
      if (call.purpose === 'send') this.settle(call, { report: sentTooLate }, now);
      else this.advance(call, now);
    }
  }

  /** The next call of a program that may be made now, or may not be made any more; null: there is none. */
  private nextCall(program: ScheduledProgram, now: number): WaitingCall | null {
    const queue = this.waiting.get(program);
    const next = queue?.peek();
    if (next === undefined) this.waiting.delete(program);
    const isReady = next !== undefined && (program.gate.hasPlace(now) || now > next.sendBy);
    return isReady ? (queue?.take() ?? null) : null;
  }

  /** When the first of the waiting calls may not be made any more; null: none waits. */
  nextLapseAt(): number | null {
    const times = [...this.waiting.values()].flatMap((queue) => queue.peek()?.sendBy ?? []);
    return times.length === 0 ? null : Math.min(...times) + 1;
  }

  private openCall(call: OpenCall): PartnerCall {
    const { program, work, intent, purpose } = call;
    if (intent.command === null) throw new Error('a call needs a command');
    const { laneId, epoch } = work.lane;
    this.open.set(leaseKey(work.lane), call);
    const named = purpose === 'send' ? namedForSend : namedForLookup;
    const command = named(program, work, intent.command);
    return { program: program.name, laneId, epoch, command, origin: originOf(call) };
  }

  attemptAnswered(answer: AttemptAnswer & Lease, now: number): void {
    const sent = this.open.take(leaseKey(answer));
    if (sent === undefined) return;
    sent.program.gate.finished();
    this.settle(sent, answer, now);
  }

  private settle(sent: OpenCall, answer: AttemptAnswer, now: number): void {
    const { program, intent } = sent;
    const { report } = answer;
    const answered = passAnswered(intent, report);
    const work = answered === null ? sent.work : withName(sent.work, answered);
    const reward = intent.command?.operation === 'reward' ? intent.command.rewardId : null;
    const judged = judgeAttempt({ operation: intent.operation, reward }, report);
    program.gate.answered(judged, now, this.random.unit());
    const { outcome, phase, request, response } = report;
    const showsDeadPass = isOfDeadPass(report.value);
    const seen = { outcome, isMissed: judged.health === 'missed', showsDeadPass };
    const events = this.eventsAfter({ ...sent, work }, seen, now);
    const shown = outcome.kind === 'unknown' ? shownFor(sent.work, intent.command) : {};
    const note = outcome.kind === 'rejected' && outcome.code === 'shared-pass' ? { note: outcome.message } : {};
    const evidence = JSON.stringify({ phase, request, response, ...shown, ...note });
    const renewal = answered === null ? null : renewalAfterAnswer({ ...sent, work }, answered);
    const completion = withRenewal(completionOf(intent, events, evidence), renewal);
    this.record({ program, work }, completion, now, { ...answer, evidence, renewal });
  }

  /**
   * What an outcome means for its intent. Where nearly all such calls fail, something is broken for all of them: the narrowest
   * that they have in common is held, and the intent requeued instead of parked.
   */
  private eventsAfter(
    { program, work, intent }: OpenCall,
    { outcome, isMissed, showsDeadPass }: SeenOutcome,
    now: number,
  ): readonly IntentEvent[] {
    const { attempt } = work;
    const call = callOf(intent, work);
    const sending = sendingOf(program, work, intent, now);
    const chance = this.random.unit();
    const events = decideAnswer(sending, { attempt, outcome, showsDeadPass }, chance);
    const meaning = meaningForAll(outcome, events);
    const showing = meaning === null ? null : showingOf(meaning, call, isMissed);
    const { isBroken, ended } = program.answered(call, showing, now);
    for (const target of ended) this.effects.push({ type: 'LiftHold', program: program.name, ...target });
    const requeued = isBroken ? requeuedOutcome(sending, outcome) : null;
    return requeued === null ? events : decideAnswer(sending, { attempt, outcome: requeued }, chance);
  }

  /** Records a completion and, when the lane may continue at once, begins its next attempt in the same statement. */
  private record(
    { program, work }: HeldLane,
    decided: LaneCompletion,
    now: number,
    answer: PendingStep['answer'] = null,
  ): void {
    const completion = withPass(work, decided, program.config);
    const after = afterCompletion(work, completion);
    const observation = observationOf(program.name, { before: work, after }, { completion, answer, now });
    const next = this.nextBegin({ program, work }, { completion, after }, now);
    const mayBegin = next !== null && program.queues.tryRequest(program.gate, { isReplay: isReplay(after), now });
    const begin = mayBegin ? this.beginOf({ program, work }, next, now) : null;
    const preceding = mayBegin ? precedingOf(next).events : [];
    const whole = preceding.length === 0 ? completion : { ...completion, events: [...completion.events, ...preceding] };
    const completed = whole === completion ? after : afterCompletion(work, whole);
    this.push(work, { completion: whole, begin }, { completed, answer, observation });
  }

  /** The attempt that may be begun with a completion, or null. */
  private nextBegin(
    { program, work }: HeldLane,
    { completion, after }: { readonly completion: LaneCompletion; readonly after: LaneWork },
    now: number,
  ): Planned<BeginStep> | null {
    const mayBegin = completion.kind === 'settle' || completion.kind === 'stay';
    // What is recorded with the completion goes first.
    if (!mayBegin || recordsFirst(completion) || this.isStopping || program.isRetired) return null;
    const next = this.plan({ program, work: after }, now);
    if (next === null || !isBegin(next)) return null;
    // An outcome is recorded even when the begin is refused; what precedes the begin must not be, so it cannot join.
    return next.step.preceding.length > 0 && work.attemptOpen ? null : next;
  }

  /** Looks the member's pass up; the right to the lookup has been taken. */
  lookup({ program, work }: HeldLane, now: number): void {
    const step = this.plan({ program, work }, now)?.step;
    if (step?.kind === 'look-up' && step.purpose !== 'before' && this.openLookup({ program, work }, step)) return;
    program.gate.lookupFinished();
    this.advance({ program, work }, now);
  }

  /** Looks the member's pass up only to see whether the partner is back; the right to the lookup has been taken. */
  probe({ program, work }: HeldLane): void {
    if (this.openLookup({ program, work }, { purpose: 'probe', confirmsAbsence: false })) return;
    program.gate.lookupFinished();
    this.release(work.lane);
  }

  private openLookup(
    { program, work }: HeldLane,
    { purpose, confirmsAbsence }: { readonly purpose: LookupCallPurpose; readonly confirmsAbsence: boolean },
  ): boolean {
    const intent = currentIntent(work);
    if (intent === undefined) return false;
    if (confirmsAbsence) program.gate.secondCallFollows();
    this.makeLookup({ program, work, intent, purpose }, confirmsAbsence);
    return true;
  }

  private makeLookup(call: OpenCall, confirmsAbsence: boolean): void {
    this.effects.push({ type: 'Lookup', confirmsAbsence, ...this.openCall(call) });
  }

  lookupAnswered({ report, listed, ...lease }: LookupAnswer & Lease, now: number): void {
    const asked = this.open.take(leaseKey(lease));
    if (asked === undefined) return;
    const { program, intent, purpose } = asked;
    const work = report.kind === 'found' ? withName(asked.work, report.pass) : asked.work;
    if (purpose === 'before') program.gate.finished();
    else program.gate.lookupFinished();
    program.gate.answered(judgeLookup(report), now, this.random.unit());
    if (purpose === 'probe' || purpose === 'send') {
      this.advance({ program, work }, now);
      return;
    }
    const sending = sendingOf(program, work, intent, now);
    const lookup: Lookup = { purpose, report, listed };
    const step = readLookup(sending, lookup) ?? decideLookup(sending, lookup, this.random.unit());
    if (step.kind === 'learned') {
      this.advance({ program, work: { ...work, ...step.known } }, now);
      return;
    }
    const found = report.kind === 'found' ? renewalAfterFinding({ ...asked, work }, report.pass, sending) : null;
    this.record({ program, work }, withRenewal(completionFor(intent, step), found), now);
  }
}

interface SeenOutcome {
  readonly outcome: AttemptOutcome;
  readonly isMissed: boolean;
  readonly showsDeadPass: boolean;
}

const isOfDeadPass = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (value as Pick<WalletPass, 'isDead'>).isDead === true;

function openCallOf({ program, work }: HeldLane, purpose: 'before' | 'send'): OpenCall {
  const intent = currentIntent(work);
  if (intent === undefined) throw new Error('a call was begun for an intent that is not loaded');
  return { program, work, intent, purpose };
}

function originOf({ work, intent, purpose }: OpenCall): CallOrigin {
  const { seq, traceparent } = intent;
  const { attempt, lane } = work;
  return { seq, attempt, purpose, claimedAt: lane.claimedAt, traceparent, isReplay: isReplay(work) };
}

function shownPass({ program, work, intent }: OpenCall, pass: WalletPass) {
  const { command, seq } = intent;
  if (command === null) return null;
  return { command, pass, program: program.config, scheduledName: `loyaltyd ${work.lane.laneId}/${seq}` };
}

function renewalAfterFinding(call: OpenCall, pass: WalletPass, { state }: Sending): Renewal | null {
  const shown = shownPass(call, pass);
  if (shown === null || state.status === 'absent') return null;
  return renewalOfFound(shown, state, attemptRefusedAsDuplicate(state));
}

function renewalAfterAnswer(call: OpenCall, pass: WalletPass): Renewal | null {
  const shown = shownPass(call, pass);
  return shown === null ? null : renewalOfAnswered(shown, call.work.pass === 'known');
}
