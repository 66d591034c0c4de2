import type { DeliverySettings } from '../settings.js';
import { leaseSlackMs } from '../settings.js';
import type { FinishedStep, PendingStep } from './flush-queue.js';
import type { HeldLane, LaneBook } from './lane-book.js';
import { afterBegin, currentIntent } from './lane-work.js';
import type { ProgramDesk } from './program-desk.js';

/** What follows once the database has answered a step: send what was begun, let go of the rest. */
export class RecordedSteps {
  constructor(
    private readonly settings: DeliverySettings,
    private readonly book: LaneBook,
  ) {}

  recorded({ item, result, startedAt }: FinishedStep, now: number): void {
    const { step } = item;
    const desk = this.book.deskOf(step);
    if (desk === undefined) return;
    if (step.completion !== null && !result.completed) this.fenced(desk, item, now);
    else if (item.observation !== null) this.book.want({ type: 'Observe', observation: item.observation });
    if (step.begin === null) {
      this.book.drop(step);
    } else if (result.begun) {
      this.send({ desk, work: afterBegin(item.completed, step.begin, startedAt) });
    } else {
      this.notBegun(desk, item, result.completed);
    }
  }

  private notBegun(desk: ProgramDesk, item: PendingStep, wasCompleted: boolean): void {
    desk.gate.finished();
    // A granted completion has released the lease already; a refused begin alone has not.
    if (wasCompleted) this.book.drop(item.step);
    else this.book.giveBack(item.completed);
  }

  /** Somebody else holds the lane now. What the partner said is knowledge all the same. */
  private fenced(desk: ProgramDesk, item: PendingStep, now: number): void {
    const { laneId, epoch, key } = item.step;
    this.book.want({ type: 'Observe', observation: { kind: 'fenced', program: desk.name, laneId } });
    if (item.answer === null) return;
    const { seq, attempt, outcome, evidence } = item.answer;
    const code = outcome.kind === 'applied' ? 'applied' : outcome.code;
    const event = { type: 'LateOutcome', at: now, attempt, outcome: outcome.kind, code } as const;
    this.book.want({ type: 'RecordLate', outcomes: [{ key, laneId, epoch, seq, event, evidence }] });
  }

  private send({ desk, work }: HeldLane): void {
    const intent = currentIntent(work);
    if (intent === undefined) throw new Error('an attempt was begun for an intent that is not loaded');
    const { partnerTimeoutMs } = this.settings;
    this.book.openSend({ desk, work, intent }, work.leaseUntil - partnerTimeoutMs - leaseSlackMs);
  }
}
