import type { IntentEvent } from '#domain';
import type { LaneCompletion, PassKnowledge, StepKind } from '#intents';

interface LaneMove {
  readonly kind: StepKind;
  readonly dueAt: number;
  readonly pass: PassKnowledge | null;
}

const settle: LaneMove = { kind: 'settle', dueAt: 0, pass: null };

/** What one event means for the lane; the last event that means something decides. */
function moveOf(event: IntentEvent): LaneMove | null {
  switch (event.type) {
    case 'AttemptApplied':
    case 'VerifiedApplied':
    case 'IntentCancelled':
      return settle;
    case 'AttemptNotApplied':
      return { kind: 'retry', dueAt: event.retryAt, pass: null };
    case 'AttemptUnknown':
      return event.checkAt === null ? null : { kind: 'doubt', dueAt: event.checkAt, pass: null };
    case 'ProbeRead':
      return { kind: 'retry', dueAt: event.checkAt, pass: null };
    case 'VerifiedAbsent':
    case 'ResendDecided':
      return { kind: 'stay', dueAt: 0, pass: null };
    case 'WaitingBegan':
      return event.for === 'pass'
        ? { kind: 'wait', dueAt: event.recheckAt, pass: 'absent' }
        : { kind: 'await', dueAt: event.recheckAt, pass: null };
    case 'IntentParked':
      return event.lane === 'block' ? { ...settle, kind: 'block' } : settle;
    case 'PassFound':
      return { kind: 'stay', dueAt: 0, pass: 'known' };
    case 'IntentReleased':
      return { kind: 'stay', dueAt: 0, pass: null };
    case 'AttemptRejected':
    case 'PassAbsent':
    case 'IntentRecorded':
    case 'AttemptBegun':
    case 'LateOutcome':
    case 'IntentReplayed':
    case 'IntentCorrected':
    case 'IntentResolved':
    case 'IntentReissued':
    case 'PassAdopted':
      return null;
  }
}

/**
 * The lane's move that follows from an intent's events.
 * @param evidence goes with the first event, sealed
 */
export function completionOf(seq: number, events: readonly IntentEvent[], evidence: string | null): LaneCompletion {
  const move = events.map(moveOf).findLast((candidate) => candidate !== null) ?? { ...settle, kind: 'stay' };
  return {
    ...move,
    events: events.map((event, index) => ({ seq, event, evidence: index === 0 ? evidence : null })),
  };
}

/** Steps over an intent that is settled already. */
export const stepOver: LaneCompletion = { ...settle, events: [] };

/** Comes back to the same intent later, without an event: nothing has happened to it. */
export function comeBack(kind: 'retry' | 'wait' | 'await', dueAt: number): LaneCompletion {
  return { kind, dueAt, pass: null, events: [] };
}
