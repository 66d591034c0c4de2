import type { LaneStep } from '#intents';

import type { FinishedStep, PendingStep } from './flush-queue.js';
import type { HeldLane, LaneBook } from './lane-book.js';
import { afterBegin, currentIntent } from './lane-work.js';
import type { ProgramDesk } from './program-desk.js';

/** What follows once the database has answered a step: send what was begun, let go of the rest. */
export class RecordedSteps {
  constructor(private readonly book: LaneBook) {}

  recorded({ item, result, startedAt }: FinishedStep, now: number): void {
    const { step } = item;
    const desk = this.book.deskOf(step);
    if (desk === undefined) return;
    if (step.completion !== null && !result.completed) this.refused(desk, item, now);
    else if (item.observation !== null) this.book.want({ type: 'Observe', observation: item.observation });
    if (step.begin !== null && result.begun) {
      this.send({ desk, work: afterBegin(item.completed, step.begin, startedAt) }, step.begin.sendBy);
    } else {
      this.letGo(desk, step, result.completed);
    }
  }

  /** A step that can never be recorded. Whoever claims the lane next finds what was open in it. */
  givenUp({ step }: PendingStep): void {
    const desk = this.book.deskOf(step);
    if (desk !== undefined) this.letGo(desk, step, true);
  }

  private letGo(desk: ProgramDesk, step: LaneStep, wasCompleted: boolean): void {
    if (step.begin !== null) desk.gate.finished();
    // A granted completion has released the lease already; after a refusal the lane may still be ours.
    if (wasCompleted) this.book.drop(step);
    else this.book.giveBack(step);
  }

  /** Refused without an attempt: others have appended, the next claim reads it. With one, the lane is not ours any more. */
  private refused(desk: ProgramDesk, item: PendingStep, now: number): void {
    const { laneId, epoch, key, attemptOpen } = item.step;
    if (!attemptOpen) return;
    this.book.want({ type: 'Observe', observation: { kind: 'fenced', program: desk.name, laneId } });
    // What the partner said is knowledge all the same.
    if (item.answer === null) return;
    const { seq, attempt, outcome, evidence } = item.answer;
    const code = outcome.kind === 'applied' ? 'applied' : outcome.code;
    const event = { type: 'LateOutcome', at: now, attempt, outcome: outcome.kind, code } as const;
    this.book.want({ type: 'RecordLate', outcomes: [{ key, laneId, epoch, seq, event, evidence }] });
  }

  private send({ desk, work }: HeldLane, sendBy: number): void {
    const intent = currentIntent(work);
    if (intent === undefined) throw new Error('an attempt was begun for an intent that is not loaded');
    this.book.openSend({ desk, work, intent, purpose: 'send' }, sendBy);
  }
}
