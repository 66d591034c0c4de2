import type { NextStep } from '#intents/core';
import { isDrained, nextStep } from '#intents/core';
import type { ClaimedIntent, LaneBegin, LaneCompletion, LaneStep, StepResult } from '#intents';
import { deferredUntil } from '#intents';
import type { Random } from '#platform';

import type { DeliverySettings } from '../settings.js';
import { leaseNeededMs } from '../settings.js';
import type { AttemptAnswer, FinishedStep, GroupCommit, PendingStep } from './group-commit.js';
import type { HeldLane, LeaseTable } from './lease-table.js';
import type { LaneWork } from './lane-work.js';
import {
  afterBegin,
  afterCompletion,
  comeBack,
  completionFor,
  completionOf,
  currentIntent,
  isReplay,
  sendingOf,
} from './lane-work.js';
import type { LookupCallPurpose } from './messages.js';
import type { Observation } from './observation.js';
import { lostObservation, stepObservation } from './observation.js';
import type { ScheduledProgram } from './program-scheduler.js';

/** What is to be recorded about a lane's current intent. */
interface Recording {
  readonly completion: LaneCompletion;
  /** The lane after the completion, where the caller knows it already. */
  readonly after?: LaneWork;
  readonly answer: AttemptAnswer | null;
  readonly observation: Observation | null;
}

type BeginStep = Extract<NextStep, { kind: 'begin' }>;

/** What is to be done next for a lane's current intent. */
interface Planned<Step = NextStep> {
  readonly intent: ClaimedIntent;
  readonly step: Step;
}

interface StepParts {
  readonly completion: LaneCompletion | null;
  readonly begin: LaneBegin | null;
}

interface CompletedWork {
  readonly completion: LaneCompletion;
  readonly after: LaneWork;
}

type MergedParts = StepParts & { readonly completion: LaneCompletion };

function isBegin(planned: Planned): planned is Planned<BeginStep> {
  return planned.step.kind === 'begin';
}

/** What is appended before a begin, in the same statement; null: nothing. */
function precedingOf({ intent, step }: Planned<BeginStep>): LaneCompletion | null {
  return step.preceding.length === 0 ? null : completionOf(intent, step.preceding, null);
}

/** Moves lanes on: to a turn at the gate, into the next group commit, out to the partner. One stage at a time. */
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
      case 'step-over': {
        const completion = completionFor(intent, step);
        const after = afterCompletion(work, completion);
        const lanes = { before: work, after };
        const observation =
          step.kind === 'record-lost'
            ? lostObservation(program.name, lanes, now)
            : stepObservation(program.name, lanes, { completion, now });
        this.record({ program, work }, { completion, after, answer: null, observation }, now);
      }
    }
  }

  /** Begins the current attempt; the right to the request has been taken. */
  begin({ program, work }: HeldLane, now: number): void {
    const next = this.plan({ program, work }, now);
    if (next !== null && isBegin(next)) {
      const begin = this.beginOf(work, next, now);
      const completion = precedingOf(next);
      const completed = completion === null ? work : afterCompletion(work, completion);
      const lanes = { before: work, after: completed };
      const observation = completion === null ? null : stepObservation(program.name, lanes, { completion, now });
      const parts = { completion, carriesAnswer: false, begin };
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

  /** Null where no intent of the lane is loaded. While its operation is paused a lane waits where it costs nothing. */
  private plan({ program, work }: HeldLane, now: number): Planned | null {
    const intent = currentIntent(work);
    const chance = this.means.random.unit();
    if (isDrained(work.cursor) || intent === undefined) return null;
    const step = nextStep(sendingOf(program, work, intent, now), chance);
    const { operation } = intent;
    const isHeld = (step.kind === 'begin' || step.kind === 'look-up') && program.pauses.isOperationPaused(operation);
    return { intent, step: isHeld ? { kind: 'come-back', as: 'retry', dueAt: deferredUntil(operation) } : step };
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

  private queue(held: HeldLane, kind: 'request' | 'lookup', now: number): void {
    const { queues, gate } = held.program;
    const place = { kind, isReplay: isReplay(held.work) };
    const deferMs = queues.enqueue(held.work, place, gate.lanesWorthHolding(now));
    if (deferMs !== null) this.defer(held, deferMs, now);
  }

  /** Records a completion and, when the lane may go on at once, begins its next attempt in the same statement. */
  record(held: HeldLane, recording: Recording, now: number): void {
    const { work } = held;
    const { answer, observation } = recording;
    const after = recording.after ?? afterCompletion(work, recording.completion);
    const parts = this.tryMerge(held, { completion: recording.completion, after }, now);
    const completed = parts.completion === recording.completion ? after : afterCompletion(work, parts.completion);
    this.push(work, { ...parts, carriesAnswer: answer !== null }, { completed, answer, observation });
  }

  /** So many wait for the same that waiting in our hands would keep others out of them. */
  private defer(held: HeldLane, deferMs: number, now: number): void {
    const completion = comeBack('retry', now + deferMs * (0.5 + this.means.random.unit()));
    this.record(held, { completion, answer: null, observation: null }, now);
  }

  private tryMerge(held: HeldLane, completed: CompletedWork, now: number): MergedParts {
    const { completion } = completed;
    const next = this.nextBegin(held, completed, now);
    const { gate, queues } = held.program;
    if (next === null || !queues.tryRequest(gate, { isReplay: isReplay(completed.after), now })) {
      return { completion, begin: null };
    }
    const begin = this.beginOf(held.work, next, now);
    const preceding = precedingOf(next)?.events ?? [];
    return preceding.length === 0
      ? { completion, begin }
      : { completion: { ...completion, events: [...completion.events, ...preceding] }, begin };
  }

  /** The attempt that may be begun with this completion, or null. */
  private nextBegin({ program, work }: HeldLane, completed: CompletedWork, now: number): Planned<BeginStep> | null {
    const { completion, after } = completed;
    const mayBegin = completion.kind === 'settle' || completion.kind === 'stay';
    // What is recorded with the completion goes first.
    if (!mayBegin || completion.renewal !== undefined || this.isStopping || program.isRetired) return null;
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

  private push(
    work: LaneWork,
    parts: StepParts & Pick<LaneStep, 'carriesAnswer'>,
    rest: Omit<PendingStep, 'step'>,
  ): void {
    const { laneId, epoch, revision, key } = work.lane;
    const { attempt, attemptOpen, cursor } = work;
    const step: LaneStep = { key, laneId, epoch, seq: cursor.current, attempt, attemptOpen, revision, ...parts };
    this.commits.add({ step, ...rest });
  }

  /** The database has answered a step: what was begun is sent, the rest is let go of. */
  recorded({ item, result, startedAt }: FinishedStep, now: number): void {
    const { step } = item;
    const program = this.leases.programOf(step);
    if (program === undefined) return;
    if (step.completion !== null && !result.completed) this.refused(program, item, now);
    else if (item.observation !== null) this.leases.want({ type: 'Observe', observation: item.observation });
    if (step.begin !== null && result.begun) {
      this.awaitPlace({ program, work: afterBegin(item.completed, step.begin, startedAt) }, 'send', step.begin.sendBy);
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
  private refused(program: ScheduledProgram, item: PendingStep, now: number): void {
    const { laneId, epoch, key, attemptOpen } = item.step;
    if (!attemptOpen) return;
    this.leases.want({ type: 'Observe', observation: { kind: 'fenced', program: program.name, laneId } });
    // What the partner answered is knowledge all the same.
    if (item.answer === null) return;
    const { seq, attempt, outcome, evidence, renewal } = item.answer;
    const code = outcome.kind === 'applied' ? 'applied' : outcome.code;
    const event = { type: 'LateOutcome', at: now, attempt, outcome: outcome.kind, code } as const;
    this.leases.want({ type: 'RecordLate', outcomes: [{ key, laneId, epoch, seq, event, evidence, renewal }] });
  }

  private awaitPlace({ program, work }: HeldLane, purpose: 'before' | 'send', sendBy: number): void {
    const intent = currentIntent(work);
    if (intent === undefined) throw new Error('a call was begun for an intent that is not loaded');
    this.leases.awaitPlace({ call: { program, work, intent, purpose }, sendBy });
  }
}
