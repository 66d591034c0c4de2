import type { Random } from '#platform';
import type { LaneBegin, LaneCompletion, LaneStep } from '#intents';

import type { DeliverySettings } from '../settings.js';
import { leaseNeededMs } from '../settings.js';
import { comeBack } from './completion.js';
import type { AttemptAnswer, FlushQueue, PendingStep } from './flush-queue.js';
import type { HeldLane, LaneBook } from './lane-book.js';
import type { LaneWork } from './lane-work.js';
import { afterCompletion, currentIntent, isReplay } from './lane-work.js';
import type { LaneAction } from './next-action.js';
import { nextAction } from './next-action.js';
import type { Observation } from './observation.js';
import { lostObservation, stepObservation } from './observe.js';
import { putOff } from './put-off.js';

/** What is to be recorded about a lane's current intent. */
interface Recording {
  readonly completion: LaneCompletion;
  /** The lane after the completion, where the caller knows it already. */
  readonly after?: LaneWork;
  readonly answer: AttemptAnswer | null;
  readonly observation: Observation | null;
}

type BeginAction = Extract<LaneAction, { kind: 'begin' }>;
type LookupAction = Extract<LaneAction, { kind: 'lookup' }>;

interface StepParts {
  readonly completion: LaneCompletion | null;
  readonly begin: LaneBegin | null;
}

interface CompletedWork {
  readonly completion: LaneCompletion;
  readonly after: LaneWork;
}

type MergedParts = StepParts & { readonly completion: LaneCompletion };

/** Moves lanes on: to a turn at the gate, into the next group commit, out to the partner. One stage at a time. */
export class LaneSteps {
  private isStopping = false;

  constructor(
    private readonly book: LaneBook,
    private readonly flushes: FlushQueue,
    private readonly means: { readonly settings: DeliverySettings; readonly random: Pick<Random, 'unit'> },
  ) {}

  /** From now on only what is open is finished; nothing new is begun. */
  stopBeginning(): void {
    this.isStopping = true;
  }

  /** Puts a lane on its next step. */
  advance({ desk, work }: HeldLane, now: number): void {
    const action = this.actionFor({ desk, work }, now);
    switch (action.kind) {
      case 'give-back':
        this.book.giveBack(work.lane);
        return;
      case 'lookup':
        // A read before an attempt is part of that attempt: it takes the place of a request, not of a lookup.
        this.queue({ desk, work }, action.purpose === 'before' ? 'request' : 'lookup', now);
        return;
      case 'begin':
        this.queue({ desk, work }, 'request', now);
        return;
      case 'record': {
        const { completion, isLostAttempt } = action;
        const after = afterCompletion(work, completion);
        const lanes = { before: work, after };
        const observation = isLostAttempt
          ? lostObservation(desk, lanes, now)
          : stepObservation(desk, lanes, { completion, now });
        this.record({ desk, work }, { completion, after, answer: null, observation }, now);
      }
    }
  }

  /** Begins the current attempt; the right to the request has been taken. */
  begin({ desk, work }: HeldLane, now: number): void {
    const action = this.actionFor({ desk, work }, now);
    if (action.kind === 'begin') {
      const begin = this.beginOf(work, action, now);
      const { preceding: completion } = action;
      const completed = completion === null ? work : afterCompletion(work, completion);
      const lanes = { before: work, after: completed };
      const observation = completion === null ? null : stepObservation(desk, lanes, { completion, now });
      const parts = { completion, tellsAnswer: false, begin };
      this.push(work, parts, { completed, answer: null, observation });
      return;
    }
    if (action.kind === 'lookup' && action.purpose === 'before' && this.openLookup({ desk, work }, action)) return;
    desk.gate.finished();
    this.advance({ desk, work }, now);
  }

  /** Asks for the member's pass; the right to the lookup has been taken. */
  lookup({ desk, work }: HeldLane, now: number): void {
    const action = this.actionFor({ desk, work }, now);
    if (action.kind === 'lookup' && action.purpose !== 'before' && this.openLookup({ desk, work }, action)) return;
    desk.gate.lookupFinished();
    this.advance({ desk, work }, now);
  }

  /** Asks for the member's pass only to see whether the partner is back; the right to the lookup has been taken. */
  probe({ desk, work }: HeldLane): void {
    if (this.openLookup({ desk, work }, { purpose: 'probe', confirmsAbsence: false })) return;
    desk.gate.lookupFinished();
    this.book.giveBack(work.lane);
  }

  private actionFor({ desk, work }: HeldLane, now: number): LaneAction {
    const action = nextAction(work, { program: desk.program, now, chance: this.means.random.unit() });
    const calls = action.kind === 'begin' || action.kind === 'lookup';
    return calls ? (putOff(desk, work) ?? action) : action;
  }

  private openLookup(
    { desk, work }: HeldLane,
    { purpose, confirmsAbsence }: Pick<LookupAction, 'purpose' | 'confirmsAbsence'>,
  ): boolean {
    const intent = currentIntent(work);
    if (intent === undefined) return false;
    this.book.openLookup({ desk, work, intent, purpose }, confirmsAbsence);
    return true;
  }

  private queue(held: HeldLane, kind: 'request' | 'lookup', now: number): void {
    const { turns, crowd } = held.desk.queues.placeFor(kind, isReplay(held.work));
    if (crowd?.isTooBig(held.desk.gate.lanesWorthHolding(now)) === true) this.defer(held, crowd.deferMs, now);
    else turns.add(held.work);
  }

  /** Records a completion and, when the lane may go on at once, begins its next attempt in the same statement. */
  record(held: HeldLane, recording: Recording, now: number): void {
    const { work } = held;
    const { answer, observation } = recording;
    const after = recording.after ?? afterCompletion(work, recording.completion);
    const parts = this.tryMerge(held, { completion: recording.completion, after }, now);
    const completed = parts.completion === recording.completion ? after : afterCompletion(work, parts.completion);
    this.push(work, { ...parts, tellsAnswer: answer !== null }, { completed, answer, observation });
  }

  /** So many wait for the same that waiting in our hands would keep others out of them. */
  private defer(held: HeldLane, deferMs: number, now: number): void {
    const completion = comeBack('retry', now + deferMs * (0.5 + this.means.random.unit()));
    this.record(held, { completion, answer: null, observation: null }, now);
  }

  private tryMerge(held: HeldLane, completed: CompletedWork, now: number): MergedParts {
    const { completion } = completed;
    const next = this.nextBegin(held, completed, now);
    const { gate, queues } = held.desk;
    if (next === null || !queues.tryRequest(gate, { isReplay: isReplay(completed.after), now })) {
      return { completion, begin: null };
    }
    const begin = this.beginOf(held.work, next, now);
    if (next.preceding === null) return { completion, begin };
    return { completion: { ...completion, events: [...completion.events, ...next.preceding.events] }, begin };
  }

  /** The attempt that may be begun with this completion, or null. */
  private nextBegin({ desk, work }: HeldLane, completed: CompletedWork, now: number): BeginAction | null {
    const { completion, after } = completed;
    const goesOn = completion.kind === 'settle' || completion.kind === 'stay';
    if (!goesOn || this.isStopping || desk.isRetired) return null;
    const next = this.actionFor({ desk, work: after }, now);
    if (next.kind !== 'begin') return null;
    // An outcome is recorded even when the begin is refused; what precedes the begin must not be, so it cannot join.
    return next.preceding !== null && work.attemptOpen ? null : next;
  }

  /** Renews the lease only when what is left of it does not cover the request. */
  private beginOf(work: LaneWork, { seq, attempt, before }: BeginAction, now: number): LaneBegin {
    const { settings } = this.means;
    const isLong = work.leaseUntil - now >= leaseNeededMs(settings);
    const leaseUntil = isLong ? work.leaseUntil : now + settings.leaseMs;
    return { seq, attempt, before, leaseUntil, sendBy: now + settings.sendWindowMs };
  }

  private push(
    work: LaneWork,
    parts: StepParts & Pick<LaneStep, 'tellsAnswer'>,
    rest: Omit<PendingStep, 'step'>,
  ): void {
    const { laneId, epoch, revision, key } = work.lane;
    const { attempt, attemptOpen, cursor } = work;
    const step: LaneStep = { key, laneId, epoch, seq: cursor.current, attempt, attemptOpen, revision, ...parts };
    this.flushes.add({ step, ...rest });
  }
}
