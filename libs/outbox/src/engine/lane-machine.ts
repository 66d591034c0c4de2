import type { Program, WalletPass } from '#contracts';
import type {
  AttemptOutcome,
  ComeBackStep,
  HolderMove,
  IntentEvent,
  Lookup,
  NextStep,
  PassNaming,
  Renewal,
  Sending,
} from '#intents/core';
import {
  attemptRefusedAsDuplicate,
  decideAnswer,
  decideLookup,
  factorsOf,
  groupOf,
  holderMoveOf,
  isDrained,
  meaningForAll,
  nextStep,
  passAnswered,
  passNameOf,
  policyOf,
  readLookup,
  requeuedOutcome,
} from '#intents/core';
import { renewalOfAnswered, renewalOfFound } from '#members';
import type { ClaimedIntent, LaneBegin, LaneCompletion, LaneStep, StepResult } from '#intents';
import type { Random } from '#platform';

import { judgeAttempt, judgeLookup } from '../gate/judge-answer.js';
import type { HeldCall } from '../gate/program-pauses.js';
import type { Showing } from '../gate/refusal-window.js';
import { showingOf } from '../gate/refusal-window.js';
import type { DeliverySettings } from '../settings.js';
import { leaseNeededMs } from '../settings.js';
import type { FinishedStep, GroupCommit, PendingStep } from './group-commit.js';
import type { LaneWork } from './lane-work.js';
import { afterBegin, afterCompletion, currentIntent, isReplay, stateOf } from './lane-work.js';
import type { HeldLane, LeaseTable, OpenCall } from './lease-table.js';
import { shownFor } from './lease-table.js';
import type { LookupAnswer, LookupCallPurpose } from './messages.js';
import { sentTooLate } from './messages.js';
import type { AttemptAnswer } from './observation.js';
import { observationOf } from './observation.js';
import type { ScheduledProgram } from './program-scheduler.js';

/** A step that makes no call. */
type QuietStep = Exclude<NextStep, { readonly kind: 'begin' | 'look-up' }>;
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
  return completionOf(intent, step.preceding, null);
}

/**
 * Decides what is done for each held lane, one stage at a time: a turn at the gate, a begin, a call, and what the answer means.
 * Everything is recorded by the next group commit, and a call is made only when its begin has been recorded.
 */
export class LaneMachine {
  private isStopping = false;

  constructor(
    private readonly leases: LeaseTable,
    private readonly commits: GroupCommit,
    private readonly means: { readonly settings: DeliverySettings; readonly random: Pick<Random, 'unit'> },
  ) {}

  /** From now on only what is open is finished; nothing new is begun. */
  stopBeginning(): void {
    this.isStopping = true;
  }

  /** Puts a lane on its next step; one without a loaded intent to work on is released. */
  advance({ program, work }: HeldLane, now: number): void {
    const planned = this.plan({ program, work }, now);
    if (planned === null) {
      this.leases.release(work.lane);
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

  /** Null where no intent of the lane is loaded. While its call is held a lane waits where it costs nothing. */
  private plan({ program, work }: HeldLane, now: number): Planned | null {
    const intent = currentIntent(work);
    const chance = this.means.random.unit();
    if (isDrained(work.cursor) || intent === undefined) return null;
    const step = nextStep(sendingOf(program, work, intent, now), chance);
    const isRead = step.kind === 'look-up';
    const mayBeHeld = (step.kind === 'begin' || isRead) && program.pauses.holdsAny;
    const dueAt = mayBeHeld ? program.pauses.deferral({ ...callOf(intent, work), isRead }, now) : null;
    return { intent, step: dueAt === null ? step : { kind: 'come-back', as: 'retry', dueAt } };
  }

  /** Waits for a turn; where so many wait for the same that other lanes could not be held, the lane comes back later. */
  private queue(held: HeldLane, kind: 'request' | 'lookup', now: number): void {
    const { queues, gate } = held.program;
    const place = { kind, isReplay: isReplay(held.work) };
    const deferMs = queues.enqueue(held.work, place, gate.lanesWorthHolding(now));
    if (deferMs !== null) {
      this.record(held, comeBack('retry', now + deferMs * (0.5 + this.means.random.unit())), now);
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
      const parts = { completion, begin: this.beginOf(work, next, now) };
      this.push(work, parts, { completed, answer: null, observation });
      return;
    }
    if (next?.step.kind === 'look-up' && next.step.purpose === 'before') {
      this.awaitPlace({ program, work }, 'before', now + this.means.settings.sendWindowMs);
      return;
    }
    program.gate.withdrawn();
    this.advance({ program, work }, now);
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
    this.leases.release(work.lane);
  }

  private openLookup(
    { program, work }: HeldLane,
    { purpose, confirmsAbsence }: { readonly purpose: LookupCallPurpose; readonly confirmsAbsence: boolean },
  ): boolean {
    const intent = currentIntent(work);
    if (intent === undefined) return false;
    if (confirmsAbsence) program.gate.secondCallFollows();
    this.leases.openLookup({ program, work, intent, purpose }, confirmsAbsence);
    return true;
  }

  lookupAnswered(asked: OpenCall, { report, listed }: LookupAnswer, now: number): void {
    const { program, intent, purpose } = asked;
    const work = report.kind === 'found' ? withName(asked.work, report.pass) : asked.work;
    if (purpose === 'before') program.gate.finished();
    else program.gate.lookupFinished();
    program.gate.answered(judgeLookup(report), now, this.means.random.unit());
    if (purpose === 'probe' || purpose === 'send') {
      this.advance({ program, work }, now);
      return;
    }
    const sending = sendingOf(program, work, intent, now);
    const lookup: Lookup = { purpose, report, listed };
    const step = readLookup(sending, lookup) ?? decideLookup(sending, lookup, this.means.random.unit());
    if (step.kind === 'learned') {
      this.advance({ program, work: { ...work, ...step.known } }, now);
      return;
    }
    const found = report.kind === 'found' ? renewalAfterFinding({ ...asked, work }, report.pass, sending) : null;
    this.record({ program, work }, withRenewal(completionFor(intent, step), found), now);
  }

  attemptAnswered(sent: OpenCall, answer: AttemptAnswer, now: number): void {
    sent.program.gate.finished();
    this.settle(sent, answer, now);
  }

  /** Begun and recorded, but no call before it has ended in time. */
  attemptLapsed(begun: OpenCall, now: number): void {
    begun.program.gate.withdrawn();
    this.settle(begun, { report: sentTooLate }, now);
  }

  private settle(sent: OpenCall, answer: AttemptAnswer, now: number): void {
    const { program, intent } = sent;
    const { report } = answer;
    const answered = passAnswered(intent, report);
    const work = answered === null ? sent.work : withName(sent.work, answered);
    const reward = intent.command?.operation === 'reward' ? intent.command.rewardId : null;
    const judged = judgeAttempt({ operation: intent.operation, reward }, report);
    program.gate.answered(judged, now, this.means.random.unit());
    const { outcome, phase, request, response } = report;
    const events = this.eventsAfter({ ...sent, work }, { outcome, isMissed: judged.health === 'missed' }, now);
    const shown = outcome.kind === 'unknown' ? shownFor(sent.work, intent.command) : {};
    const evidence = JSON.stringify({ phase, request, response, ...shown });
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
    { outcome, isMissed }: { readonly outcome: AttemptOutcome; readonly isMissed: boolean },
    now: number,
  ): readonly IntentEvent[] {
    const { attempt } = work;
    const call = callOf(intent, work);
    const sending = sendingOf(program, work, intent, now);
    const chance = this.means.random.unit();
    const events = decideAnswer(sending, { attempt, outcome }, chance);
    const meaning = meaningForAll(outcome, events);
    const showing = meaning === null ? null : showingOf(meaning, call, isMissed);
    const requeued = this.isBroken(program, call, showing, now) ? requeuedOutcome(sending, outcome) : null;
    return requeued === null ? events : decideAnswer(sending, { attempt, outcome: requeued }, chance);
  }

  /** Whether a call failed for what is broken for all such calls: it is held, or is from now on. Ends holds that are over. */
  private isBroken(program: ScheduledProgram, call: HeldCall, showing: Showing | null, now: number): boolean {
    const { pauses, refusals } = program;
    const { isHeld, ended } = pauses.answered(call, resultOf(showing), now);
    for (const target of ended) this.leases.want({ type: 'LiftHold', program: program.name, ...target });
    // What a hold explains already must not make a wider one.
    const isCounted = showing !== null && (showing.kind === 'served' || !isHeld);
    const wanted = isCounted ? refusals.answered(call, showing, now) : null;
    if (wanted !== null) pauses.want(wanted, now);
    return wanted !== null || (isHeld && resultOf(showing) === 'failed');
  }

  /** Records a completion and, when the lane may continue at once, begins its next attempt in the same statement. */
  private record(
    { program, work }: HeldLane,
    decided: LaneCompletion,
    now: number,
    answer: PendingStep['answer'] = null,
  ): void {
    const completion = withPass(decided, program.config);
    const after = afterCompletion(work, completion);
    const observation = observationOf(program.name, { before: work, after }, { completion, answer, now });
    const next = this.nextBegin({ program, work }, { completion, after }, now);
    const mayBegin = next !== null && program.queues.tryRequest(program.gate, { isReplay: isReplay(after), now });
    const begin = mayBegin ? this.beginOf(work, next, now) : null;
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

  /** Renews the lease only when what is left of it does not cover the request. */
  private beginOf(work: LaneWork, { intent: { seq }, step }: Planned<BeginStep>, now: number): LaneBegin {
    const { attempt, before } = step;
    const { settings } = this.means;
    const isLong = work.leaseUntil - now >= leaseNeededMs(settings);
    const leaseUntil = isLong ? work.leaseUntil : now + settings.leaseMs;
    return { seq, attempt, before, leaseUntil, sendBy: now + settings.sendWindowMs };
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
    const program = this.leases.programOf(step);
    if (program === undefined) return;
    if (step.completion !== null && !result.completed) this.refused(program, item, now);
    else if (observation !== null) this.leases.want({ type: 'Observe', observation });
    if (step.begin !== null && result.begun) {
      this.awaitPlace({ program, work: afterBegin(completed, step.begin, startedAt) }, 'send', step.begin.sendBy);
    } else {
      this.letGo(program, item, result);
    }
  }

  /** A step that can never be recorded. The next claim of the lane finds what was open in it. */
  givenUp(item: PendingStep): void {
    const program = this.leases.programOf(item.step);
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
    if (completed) this.leases.drop(step, dueAt);
    else this.leases.release(step);
  }

  /** Refused without an attempt: others have appended, the next claim reads it. With one, the lane is not ours any more. */
  private refused(program: ScheduledProgram, { step, answer }: PendingStep, now: number): void {
    const { laneId, epoch, key, seq, attempt, attemptOpen } = step;
    if (!attemptOpen) return;
    this.leases.want({ type: 'Observe', observation: { kind: 'fenced', program: program.name, laneId } });
    // What the partner answered is knowledge all the same.
    if (answer === null) return;
    const { report, evidence, renewal } = answer;
    const { kind: outcome } = report.outcome;
    const code = report.outcome.kind === 'applied' ? 'applied' : report.outcome.code;
    const event = { type: 'LateOutcome', at: now, attempt, outcome, code } as const;
    this.leases.want({ type: 'RecordLate', outcomes: [{ key, laneId, epoch, seq, event, evidence, renewal }] });
  }

  private awaitPlace({ program, work }: HeldLane, purpose: 'before' | 'send', sendBy: number): void {
    const intent = currentIntent(work);
    if (intent === undefined) throw new Error('a call was begun for an intent that is not loaded');
    this.leases.awaitPlace({ call: { program, work, intent, purpose }, sendBy });
  }
}

function resultOf(showing: Showing | null): 'served' | 'failed' | 'neither' {
  if (showing === null) return 'neither';
  return showing.kind === 'served' ? 'served' : 'failed';
}

/** What a call has in common with others, and whose it is. */
function callOf(intent: ClaimedIntent, { lane }: LaneWork): HeldCall {
  return { operation: intent.operation, factors: factorsOf(intent), laneId: lane.laneId };
}

/** All that decides about the next step of a lane's intent, for `#intents/core`. */
function sendingOf(
  { config, naming }: { readonly config: Program; readonly naming: PassNaming },
  work: LaneWork,
  intent: ClaimedIntent,
  now: number,
): Sending {
  const { lane, attemptOpen } = work;
  const place = intent.waitsFor?.place ?? null;
  return {
    intent,
    state: stateOf(work, intent.seq),
    purchase: place?.laneId === lane.laneId ? stateOf(work, place.seq) : { status: 'absent' },
    known: work,
    attemptOpen,
    openSince: lane.openSince,
    policy: policyOf(config, intent),
    naming,
    now,
  };
}

/** @param evidence kept, sealed, with the first event */
function completionOf(
  { seq, operation }: Pick<ClaimedIntent, 'seq' | 'operation'>,
  events: readonly IntentEvent[],
  evidence: string | null,
): LaneCompletion {
  const move = holderMoveOf(operation, events);
  return {
    ...move,
    ...(getsPass({ seq, operation }, move) && { gotPass: { sendsKept: false } }),
    events: events.map((event, index) => ({ seq, event, evidence: index === 0 ? evidence : null })),
  };
}

/** Behind other intents something may have parked for the lack of the pass that an enrolment has got. */
function getsPass({ seq, operation }: Pick<ClaimedIntent, 'seq' | 'operation'>, { kind, pass }: HolderMove): boolean {
  return seq > 1 && groupOf(operation) === 'issue' && kind === 'settle' && pass === 'known';
}

function withPass(completion: LaneCompletion, { onRejoin }: Program): LaneCompletion {
  if (completion.gotPass === undefined) return completion;
  return { ...completion, gotPass: { sendsKept: onRejoin === 'send' } };
}

/** What is recorded with it goes before all that waits. */
function recordsFirst({ renewal, gotPass }: LaneCompletion): boolean {
  return renewal !== undefined || gotPass !== undefined;
}

/** What is to be written for a step without a call. */
function completionFor(intent: ClaimedIntent, step: QuietStep): LaneCompletion {
  switch (step.kind) {
    case 'step-over':
      return { kind: 'settle', dueAt: 0, pass: null, events: [] };
    case 'come-back':
      return comeBack(step.as, step.dueAt);
    case 'record':
      return completionOf(intent, step.events, step.evidence);
    case 'record-lost':
      return completionOf(intent, step.events, null);
  }
}

/** Comes back to the same intent later, without an event: nothing has happened to it. */
function comeBack(kind: ComeBackStep['as'], dueAt: number): LaneCompletion {
  return { kind, dueAt, pass: null, events: [] };
}

/** The lane with what the partner has shown of the pass's names. */
function withName(work: LaneWork, pass: WalletPass): LaneWork {
  return { ...work, named: passNameOf(pass) };
}

/** What an enrolment says follows as an update where it has found a pass instead of making one. */
function withRenewal(completion: LaneCompletion, renewal: Renewal | null): LaneCompletion {
  return renewal !== null && completion.kind === 'settle' ? { ...completion, renewal } : completion;
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
