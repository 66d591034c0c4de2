import { answeredOtherwiseCode, isUnprovenCode } from '../delivery/classify-outcome.js';
import { forgottenCode } from '../resolution/resolution.js';
import type { IntentEvent, IntentEventType } from './intent-event.js';
import type { IntentHistory, IntentState, IntentStatus } from './intent-state.js';
import { transitionOf } from './transitions.js';

function historyOf(state: IntentState): IntentHistory {
  if (state.status === 'absent') throw new Error('an intent must be recorded first');
  const { recordedAt, triedSince, attempts, answeredTries, hadUnknown, unknownTries } = state;
  const { doubts, unproven, contradicted, lateApplied, lateRefused, appliedAt, forgottenAt } = state;
  const { cancelRequest, passDenial, isReplay, lastDelayMs } = state;
  const tries = { triedSince, attempts, answeredTries, hadUnknown, unknownTries };
  const late = { lateApplied, lateRefused, appliedAt, forgottenAt, cancelRequest };
  return { recordedAt, ...tries, doubts, unproven, contradicted, ...late, passDenial, isReplay, lastDelayMs };
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
    contradicted: [],
    lateApplied: null,
    lateRefused: null,
    appliedAt: null,
    forgottenAt: null,
    cancelRequest: null,
    passDenial: null,
    isReplay: false,
    lastDelayMs: 0,
  };
}

function afterUnknown(
  history: IntentHistory,
  { attempt, at, code }: Extract<IntentEvent, { type: 'AttemptUnknown' }>,
): IntentHistory {
  const doubts = [...history.doubts, attempt];
  const forgottenAt = code === forgottenCode ? at : history.forgottenAt;
  const { unproven: before, ...seen } = withAnswer(history, attempt, code);
  const unproven = before.filter((each) => doubts.includes(each));
  return { ...seen, forgottenAt, hadUnknown: true, unknownTries: history.unknownTries + 1, doubts, unproven };
}

/** A yes that proved nothing, or contradicted what was asked, is remembered by its attempt. */
function withAnswer(history: IntentHistory, attempt: number, code: string): IntentHistory {
  const { unproven, contradicted } = history;
  return {
    ...history,
    unproven: isUnprovenCode(code) ? [...unproven, attempt] : unproven,
    contradicted: code === answeredOtherwiseCode ? [...contradicted, attempt] : contradicted,
  };
}

/** The clock may have been set back since the recording: an intent is never older for having been requeued. */
function requeuedAt(history: IntentHistory, at: number): IntentHistory {
  return { ...history, triedSince: Math.max(history.recordedAt, at) };
}

/** All over again, yielding to live traffic. */
function afterReplay(history: IntentHistory, at: number): IntentHistory {
  return {
    ...requeuedAt(history, at),
    answeredTries: 0,
    unknownTries: 0,
    passDenial: null,
    lastDelayMs: 0,
    isReplay: true,
  };
}

type ByEvent<Context, Result> = {
  readonly [Type in IntentEventType]?: (context: Context, event: Extract<IntentEvent, { type: Type }>) => Result;
};

/** What the table says for an event's type; undefined where it says nothing. */
function lookUp<Context, Result>(
  table: ByEvent<Context, Result>,
  context: Context,
  event: IntentEvent,
): Result | undefined {
  const entry = table[event.type] as ((context: Context, event: IntentEvent) => Result) | undefined;
  return entry?.(context, event);
}

/**
 * What an intent remembers otherwise after an event that changes its status. An attempt's number is part of its events, so
 * folding is independent of any counter. A release leaves the last delay: a partner that shows a pass and then denies it
 * must not be asked every second.
 */
const remembered: ByEvent<IntentHistory, IntentHistory> = {
  AttemptBegun: (history, { attempt }) => ({ ...history, attempts: attempt }),
  AttemptNotApplied: (history, { code, answered, retryAt, at }) => {
    const answeredTries = history.answeredTries + (answered ? 1 : 0);
    const passDenial = code === 'no-such-pass' ? 'denied' : history.passDenial;
    return { ...history, answeredTries, passDenial, lastDelayMs: Math.max(0, retryAt - at) };
  },
  AttemptApplied: (history, { at }) => ({ ...history, appliedAt: at }),
  VerifiedApplied: (history, { at }) => ({ ...history, appliedAt: at }),
  AttemptUnknown: afterUnknown,
  VerifiedAbsent: (history) => ({ ...history, doubts: [] }),
  WaitingBegan: (history, { recheckAt, at }) => ({ ...history, lastDelayMs: Math.max(0, recheckAt - at) }),
  IntentReplayed: (history, { at }) => afterReplay(history, at),
  IntentReissued: (history, { at }) => ({
    ...afterReplay(history, at),
    ...{ doubts: [], lateApplied: null, lateRefused: null },
  }),
  // A person's word is the evidence: no doubt remains.
  IntentResolved: (history, { as, at }) => ({
    ...(as === 'delivered' ? history : requeuedAt(history, at)),
    doubts: [],
    lateApplied: null,
    appliedAt: as === 'delivered' ? at : history.appliedAt,
    // What a lost history may have done is part of what the person has said.
    forgottenAt: at,
  }),
};

/** What a status needs to know besides the history. */
const details: ByEvent<IntentState, object> = {
  WaitingBegan: (_state, { for: waitsFor, at }) => ({ for: waitsFor, since: at }),
  AttemptBegun: (_state, { attempt, before = null }) => ({ attempt, before }),
  AttemptUnknown: (state, { attempt, at, code, endedBy = at }) => {
    const before = state.status === 'delivering' ? state.before : null;
    return { attempt, since: at, endedBy, code, before, read: null };
  },
  IntentParked: (_state, { reason }) => ({ reason }),
};

/** A late "no" ends one doubt; a late "yes", proven or not, is remembered until the attempt under way has ended. */
function afterLateOutcome(state: IntentState, event: Extract<IntentEvent, { type: 'LateOutcome' }>): IntentState {
  if (state.status === 'delivered' || state.status === 'cancelled') return state;
  const history = withAnswer(historyOf(state), event.attempt, event.code);
  const isNo = event.outcome === 'not-applied' || event.outcome === 'rejected';
  const doubts = isNo ? history.doubts.filter((doubt) => doubt !== event.attempt) : history.doubts;
  const lateApplied = event.outcome === 'applied' ? event.attempt : history.lateApplied;
  const lateRefused = isNo ? event.attempt : history.lateRefused;
  return { ...state, ...history, doubts, lateApplied, lateRefused } as IntentState;
}

/** A denial is answered by what a lookup shows; what it no longer shows has not been found. */
function afterPass(from: IntentHistory['passDenial'], to: IntentHistory['passDenial']) {
  return (state: IntentState): IntentState =>
    state.status !== 'absent' && state.passDenial === from ? { ...state, passDenial: to } : state;
}

/** What is learnt without a change of status. */
const learnt: ByEvent<IntentState, IntentState> = {
  ProbeRead: (state, { points, at }) => (state.status === 'unknown' ? { ...state, read: { points, at } } : state),
  LateOutcome: afterLateOutcome,
  PassFound: afterPass('denied', 'found'),
  PassAbsent: afterPass('found', null),
  CancelRequested: (state, { by, reason, cause }) =>
    ({ ...state, ...historyOf(state), cancelRequest: { by, reason, cause } }) as IntentState,
  // What is sent from now on differs: its refusal as a duplicate would prove nothing about what was sent before.
  IntentCorrected: (state) => ({ ...state, ...historyOf(state), doubts: [] }) as IntentState,
};

function enter(status: IntentStatus, state: IntentState, event: IntentEvent): IntentState {
  const before = event.type === 'IntentRecorded' ? newHistory(event.at) : historyOf(state);
  const history = lookUp(remembered, before, event) ?? before;
  return { ...history, ...lookUp(details, state, event), status } as IntentState;
}

/** The one fold of an intent's history. Pure and total over every event that `decide` can produce. */
export function evolve(state: IntentState, event: IntentEvent): IntentState {
  const { status } = transitionOf(event);
  return status === undefined ? (lookUp(learnt, state, event) ?? state) : enter(status, state, event);
}
