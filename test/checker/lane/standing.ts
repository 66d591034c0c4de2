import type { IntentEvent, ParkedLane, ParkedReason } from '#domain';

export type Status =
  'pending' | 'waiting' | 'delivering' | 'refused' | 'unknown' | 'delivered' | 'parked' | 'cancelled';

/**
 * How an intent stands, as its events tell it. A fold of the checker's own: it shares nothing with `evolve`, so that the
 * two cannot agree on a mistake. `refused`: a refusal whose meaning the next event of the same decision tells.
 */
export interface Standing {
  readonly status: Status;
  /** Attempts begun. */
  readonly begun: number;
  /** The attempt whose outcome has not been recorded. */
  readonly open: number | null;
  /** Tries that count against `retries` since the last replay. */
  readonly tries: number;
  /** Attempts that may have taken effect, and nothing has been found out since. */
  readonly doubts: readonly number[];
  readonly hadUnknown: boolean;
  readonly unknownAt: number | null;
  readonly park: { readonly reason: ParkedReason; readonly lane: ParkedLane } | null;
}

export const recorded: Standing = {
  status: 'pending',
  begun: 0,
  open: null,
  tries: 0,
  doubts: [],
  hadUnknown: false,
  unknownAt: null,
  park: null,
};

/** Nothing more is sent unless a person says so. */
export function isOver({ status }: Standing): boolean {
  return status === 'delivered' || status === 'parked' || status === 'cancelled';
}

/** What follows from one event, whether or not it should have happened. */
export function afterEvent(standing: Standing, event: IntentEvent): Standing {
  return { ...standing, ...changeOf(standing, event) };
}

type Change = Partial<Standing>;

const delivered: Change = { status: 'delivered', open: null };

function changeOf(standing: Standing, event: IntentEvent): Change {
  switch (event.type) {
    case 'AttemptBegun':
      return { status: 'delivering', begun: event.attempt, open: event.attempt };
    case 'AttemptApplied':
    case 'VerifiedApplied':
      return delivered;
    case 'AttemptRejected':
      return { status: 'refused', open: null };
    case 'AttemptNotApplied':
      return { status: 'pending', open: null, tries: standing.tries + (event.answered ? 1 : 0) };
    case 'AttemptUnknown':
      return afterUnknown(standing, event);
    case 'VerifiedAbsent':
      return { status: 'pending', doubts: [] };
    case 'ResendDecided':
      return { status: 'pending' };
    case 'LateOutcome':
      return isNo(event.outcome) ? afterLateNo(standing, event.attempt) : {};
    default:
      return changeOfLifecycle(event);
  }
}

function afterUnknown(standing: Standing, { attempt, at }: Extract<IntentEvent, { type: 'AttemptUnknown' }>): Change {
  const { doubts, tries } = standing;
  return {
    status: 'unknown',
    open: null,
    tries: tries + 1,
    doubts: [...doubts, attempt],
    hadUnknown: true,
    unknownAt: at,
  };
}

/** It was counted as a try because it might have taken effect; it did not. */
function afterLateNo({ doubts, tries }: Standing, attempt: number): Change {
  if (!doubts.includes(attempt)) return {};
  return { doubts: doubts.filter((doubt) => doubt !== attempt), tries: tries - 1 };
}

function changeOfLifecycle(event: IntentEvent): Change {
  switch (event.type) {
    case 'WaitingBegan':
      return { status: 'waiting' };
    case 'IntentReleased':
      return { status: 'pending' };
    case 'IntentParked':
      return { status: 'parked', park: { reason: event.reason, lane: event.lane } };
    case 'IntentReplayed':
      return { status: 'pending', tries: 0, park: null };
    case 'IntentResolved':
      return event.as === 'delivered' ? { ...delivered, doubts: [] } : { status: 'pending', doubts: [], park: null };
    case 'IntentCancelled':
      return { status: 'cancelled' };
    case 'IntentCorrected':
      return { doubts: [] };
    default:
      return {};
  }
}

export function isNo(outcome: string): boolean {
  return outcome === 'not-applied' || outcome === 'rejected';
}
