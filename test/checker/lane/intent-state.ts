import type { IntentEvent, IntentEventType, ParkedLane, ParkedReason } from '#intents/core';

export type Status =
  'pending' | 'waiting' | 'delivering' | 'refused' | 'unknown' | 'delivered' | 'parked' | 'cancelled';

/**
 * How an intent stands, as its events tell it. A fold of the checker's own: it shares nothing with `evolve`, so that the
 * two cannot agree on a mistake. `refused`: a refusal whose meaning the next event of the same decision tells.
 */
export interface IntentState {
  readonly status: Status;
  /** Attempts begun. */
  readonly begun: number;
  /** The attempt whose outcome has not been recorded. */
  readonly open: number | null;
  /** Tries that count against `retries` since the last replay. */
  readonly tries: number;
  /** How many of them turned out to have had no effect after they had been counted as unknown. */
  readonly lateNos: number;
  /** Attempts that may have taken effect, and nothing has been found out since. */
  readonly doubts: readonly number[];
  readonly hadUnknown: boolean;
  /** Attempts that were answered a success which proved nothing. */
  readonly unproven: readonly number[];
  /** Those of them that were answered with something else than was asked. */
  readonly contradicted: readonly number[];
  /** When the last of them was told, unless a person has decided since; null: none was. */
  readonly unprovenAt: number | null;
  readonly unknownAt: number | null;
  /** When a person last put it back: `retries.maxAgeMs` counts from then. */
  readonly requeuedAt: number | null;
  /** An attempt was told late as applied, and no person has said otherwise since. */
  readonly isProven: boolean;
  /** A void or revocation met it under way or in doubt. */
  readonly isVoided: boolean;
  readonly park: { readonly reason: ParkedReason; readonly lane: ParkedLane } | null;
}

export const recorded: IntentState = {
  status: 'pending',
  begun: 0,
  open: null,
  tries: 0,
  lateNos: 0,
  doubts: [],
  hadUnknown: false,
  unproven: [],
  contradicted: [],
  unprovenAt: null,
  unknownAt: null,
  requeuedAt: null,
  isProven: false,
  isVoided: false,
  park: null,
};

/** Nothing more is sent unless a person says so. */
export function isOver({ status }: IntentState): boolean {
  return status === 'delivered' || status === 'parked' || status === 'cancelled';
}

/** Since when `retries.maxAgeMs` counts. */
export function triedSince(recordedAt: number, { requeuedAt }: IntentState): number {
  return Math.max(recordedAt, requeuedAt ?? recordedAt);
}

/**
 * What follows from one event, whether or not it should have happened.
 * @param answer what it tells of is an answer by which nobody can know what became of the request; one that shows something
 *   else than was asked
 */
export function afterEvent(
  state: IntentState,
  event: IntentEvent,
  { isFeigned = false, isOtherwise = false }: { readonly isFeigned?: boolean; readonly isOtherwise?: boolean } = {},
): IntentState {
  const isTold = event.type === 'AttemptUnknown' || (event.type === 'LateOutcome' && !isNo(event.outcome));
  const isUnproven = isTold && (isFeigned || unprovenCode.test(event.code));
  const { unproven } = state;
  const change = isUnproven ? { unproven: [...unproven, event.attempt], unprovenAt: event.at } : {};
  const contradicted = isTold ? contradictedBy(state, event, isOtherwise) : state.contradicted;
  return { ...state, ...change, contradicted, ...changeOf(state, event) };
}

function contradictedBy(
  { contradicted }: IntentState,
  { attempt, code }: EventOf<'AttemptUnknown'> | EventOf<'LateOutcome'>,
  isOtherwise: boolean,
): readonly number[] {
  return isOtherwise || code === 'answered-otherwise' ? [...contradicted, attempt] : contradicted;
}

/** How the product calls a complete 2xx that showed no effect: read here by its text, as an operator would. */
const unprovenCode = /^(?:unproven-|http-2|foreign-pass$|answered-otherwise$)/;

/** An attempt in doubt was answered with something else: only a person can say what became of it. */
export function isForPerson({ doubts, contradicted }: IntentState): boolean {
  return doubts.some((doubt) => contradicted.includes(doubt));
}

type Change = Partial<IntentState>;
type EventOf<T extends IntentEventType> = Extract<IntentEvent, { type: T }>;
type Changes = { readonly [T in IntentEventType]?: (event: EventOf<T>, state: IntentState) => Change };

const delivered: Change = { status: 'delivered', open: null };
const pending: Change = { status: 'pending' };

/** What has no line changes nothing. */
const changes: Changes = {
  AttemptBegun: ({ attempt }) => ({ status: 'delivering', begun: attempt, open: attempt }),
  AttemptApplied: () => delivered,
  VerifiedApplied: () => delivered,
  AttemptRejected: () => ({ status: 'refused', open: null }),
  AttemptNotApplied: ({ answered }, { tries }) => ({ ...pending, open: null, tries: tries + (answered ? 1 : 0) }),
  // Of a history that a restore has lost nothing was begun after `endedBy`.
  AttemptUnknown: ({ attempt, at, endedBy = at }, { doubts, tries }) => ({
    status: 'unknown',
    open: null,
    tries: tries + 1,
    doubts: [...doubts, attempt],
    hadUnknown: true,
    unknownAt: endedBy,
  }),
  // A late no may have come before its attempt was counted as unknown.
  VerifiedAbsent: ({ evidence, attempt }, state) => ({
    unprovenAt: null,
    ...(evidence === 'late-outcome' ? afterLateNo(state, attempt) : {}),
    ...pending,
    doubts: [],
  }),
  ResendDecided: () => pending,
  LateOutcome: ({ outcome, attempt }, state) => {
    if (isNo(outcome)) return afterLateNo(state, attempt);
    return outcome === 'applied' ? { isProven: true } : {};
  },
  WaitingBegan: () => ({ status: 'waiting' }),
  IntentReleased: () => pending,
  IntentParked: ({ reason, lane }) => ({ status: 'parked', park: { reason, lane } }),
  IntentReplayed: ({ at }) => ({ ...pending, tries: 0, lateNos: 0, park: null, requeuedAt: at, unprovenAt: null }),
  IntentReissued: ({ at }) => ({
    ...pending,
    ...{ tries: 0, lateNos: 0, doubts: [], requeuedAt: at, unprovenAt: null, isProven: false },
  }),
  IntentResolved: ({ as, at }) => ({
    ...(as === 'delivered' ? delivered : { ...pending, park: null, requeuedAt: at }),
    doubts: [],
    unprovenAt: null,
    isProven: false,
  }),
  IntentCancelled: () => ({ status: 'cancelled' }),
  CancelRequested: () => ({ isVoided: true }),
  IntentCorrected: () => ({ doubts: [], unprovenAt: null }),
};

function changeOf(state: IntentState, event: IntentEvent): Change {
  const change = changes[event.type] as ((event: IntentEvent, state: IntentState) => Change) | undefined;
  return change?.(event, state) ?? {};
}

/** It was counted as a try because it might have taken effect; it did not. */
function afterLateNo({ doubts, lateNos }: IntentState, attempt: number): Change {
  if (!doubts.includes(attempt)) return {};
  return { doubts: doubts.filter((doubt) => doubt !== attempt), lateNos: lateNos + 1 };
}

export function isNo(outcome: string): boolean {
  return outcome === 'not-applied' || outcome === 'rejected';
}
