import { isUnprovenCode } from '../delivery/classify-outcome.js';
import { forgottenCode } from '../resolution/resolution.js';
import type { IntentEvent } from './intent-event.js';
import type { IntentHistory, IntentState } from './intent-state.js';

type AttemptEvent = Extract<IntentEvent, { attempt: number }>;
type LifecycleEvent = Exclude<IntentEvent, { attempt: number }>;

function historyOf(state: IntentState): IntentHistory {
  if (state.status === 'absent') throw new Error('an intent must be recorded first');
  const { recordedAt, triedSince, attempts, answeredTries, hadUnknown, unknownTries } = state;
  const { doubts, unproven, lateApplied, lateRefused, forgottenAt, isReplay, lastDelayMs } = state;
  const tries = { triedSince, attempts, answeredTries, hadUnknown, unknownTries };
  return { recordedAt, ...tries, doubts, unproven, lateApplied, lateRefused, forgottenAt, isReplay, lastDelayMs };
}

function newHistory(recordedAt: number): IntentHistory {
  return {
    recordedAt,
    triedSince: recordedAt,
    attempts: 0,
    answeredTries: 0,
    hadUnknown: false,
    unknownTries: 0,
    doubts: [],
    unproven: [],
    lateApplied: null,
    lateRefused: null,
    forgottenAt: null,
    isReplay: false,
    lastDelayMs: 0,
  };
}

function afterUnknown(
  state: IntentState,
  { attempt, at, code, endedBy = at }: Extract<IntentEvent, { type: 'AttemptUnknown' }>,
): IntentState {
  const history = historyOf(state);
  const before = state.status === 'delivering' ? state.before : null;
  const doubts = [...history.doubts, attempt];
  const forgottenAt = code === forgottenCode ? at : history.forgottenAt;
  const told = isUnprovenCode(code) ? [...history.unproven, attempt] : history.unproven;
  const unproven = told.filter((each) => doubts.includes(each));
  const counted = {
    ...history,
    forgottenAt,
    hadUnknown: true,
    unknownTries: history.unknownTries + 1,
    doubts,
    unproven,
  };
  return { ...counted, status: 'unknown', attempt, since: at, endedBy, code, before, read: null };
}

/** A late "no" ends one doubt; a late "yes", proven or not, is remembered until the attempt under way has ended. */
function afterLateOutcome(state: IntentState, event: Extract<IntentEvent, { type: 'LateOutcome' }>): IntentState {
  if (state.status === 'delivered' || state.status === 'cancelled') return state;
  const history = historyOf(state);
  const isNo = event.outcome === 'not-applied' || event.outcome === 'rejected';
  const doubts = isNo ? history.doubts.filter((doubt) => doubt !== event.attempt) : history.doubts;
  const lateApplied = event.outcome === 'applied' ? event.attempt : history.lateApplied;
  const unproven = isUnprovenCode(event.code) ? [...history.unproven, event.attempt] : history.unproven;
  const lateRefused = isNo ? event.attempt : history.lateRefused;
  return { ...state, doubts, unproven, lateApplied, lateRefused } as IntentState;
}

/** Events of an attempt: the attempt's number is part of the event, so folding is independent of any counter. */
function evolveAttempt(state: IntentState, event: AttemptEvent): IntentState {
  const history = historyOf(state);
  switch (event.type) {
    case 'AttemptBegun': {
      const { attempt, before = null } = event;
      return { ...history, attempts: attempt, status: 'delivering', attempt, before };
    }
    case 'AttemptApplied':
    case 'VerifiedApplied':
      return { ...history, status: 'delivered' };
    case 'AttemptRejected':
      // Until the park that follows in the same decision: still open, nothing to send.
      return { ...history, status: 'pending' };
    case 'AttemptNotApplied': {
      const answeredTries = history.answeredTries + (event.answered ? 1 : 0);
      return { ...history, answeredTries, lastDelayMs: Math.max(0, event.retryAt - event.at), status: 'pending' };
    }
    case 'AttemptUnknown':
      return afterUnknown(state, event);
    case 'ProbeRead':
      return state.status === 'unknown' ? { ...state, read: { points: event.points, at: event.at } } : state;
    case 'VerifiedAbsent':
      return { ...history, doubts: [], status: 'pending' };
    case 'ResendDecided':
      return { ...history, status: 'pending' };
    case 'LateOutcome':
      return afterLateOutcome(state, event);
  }
}

/** Events that are not about one attempt. */
function evolveLifecycle(state: IntentState, event: LifecycleEvent): IntentState {
  switch (event.type) {
    case 'IntentRecorded':
      return { ...newHistory(event.at), status: 'pending' };
    case 'WaitingBegan': {
      const lastDelayMs = Math.max(0, event.recheckAt - event.at);
      return { ...historyOf(state), lastDelayMs, status: 'waiting', for: event.for, since: event.at };
    }
    case 'IntentReleased':
      // The last delay is kept: a partner that shows a pass and then denies it must not be asked every second.
      return { ...historyOf(state), status: 'pending' };
    case 'IntentParked':
      return { ...historyOf(state), status: 'parked', reason: event.reason };
    case 'IntentReplayed':
      return afterReplay(state, event.at);
    case 'IntentResolved':
      return afterResolution(state, event);
    case 'IntentCancelled':
      return { ...historyOf(state), status: 'cancelled' };
    case 'IntentCorrected':
      // What is sent from now on differs: its refusal as a duplicate would prove nothing about what was sent before.
      return { ...state, ...historyOf(state), doubts: [] } as IntentState;
    case 'IntentReissued':
      return { ...afterReplay(state, event.at), doubts: [], lateApplied: null, lateRefused: null };
    case 'PassFound':
    case 'PassAbsent':
    case 'PassAdopted':
      return state;
  }
}

/** All over again, yielding to live traffic. */
function afterReplay(state: IntentState, at: number): IntentHistory & { readonly status: 'pending' } {
  return {
    ...putBackAt(historyOf(state), at),
    answeredTries: 0,
    unknownTries: 0,
    lastDelayMs: 0,
    isReplay: true,
    status: 'pending',
  };
}

/** A person's word is the evidence: no doubt remains. */
function afterResolution(
  state: IntentState,
  { as, at }: Extract<IntentEvent, { type: 'IntentResolved' }>,
): IntentState {
  const history = { ...historyOf(state), doubts: [] };
  return as === 'delivered' ? { ...history, status: 'delivered' } : { ...putBackAt(history, at), status: 'pending' };
}

/** The clock may have been set back since the recording: an intent is never older for having been put back. */
function putBackAt(history: IntentHistory, at: number): IntentHistory {
  return { ...history, triedSince: Math.max(history.recordedAt, at) };
}

/** The one fold of an intent's history. Pure and total over every event that `decide` can produce. */
export function evolve(state: IntentState, event: IntentEvent): IntentState {
  return 'attempt' in event ? evolveAttempt(state, event) : evolveLifecycle(state, event);
}
