import {
  duplicateIssueCode,
  forgottenCode,
  isHeldBack,
  isPastResolving,
  nextCheckAt,
  resolutionAfterRecovery,
  resolutionStep,
} from '../resolution/resolution.js';
import { hasTriesLeft, parked } from './decide-outcome.js';
import type { Decision, Finding, IntentCommand } from './intent-command.js';
import { happened, ignored } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import type { IntentState, UnknownIntent } from './intent-state.js';
import { hasContradiction } from './intent-state.js';

type RecordFinding = Extract<IntentCommand, { type: 'RecordFinding' }>;
type RecordPassThere = Extract<IntentCommand, { type: 'RecordPassThere' }>;
type ResolveUnknown = Extract<IntentCommand, { type: 'ResolveUnknown' }>;

/** What evidence says about the attempt whose outcome is unknown (design.md section 6). */
export function decideFinding(state: IntentState, command: RecordFinding): Decision {
  if (state.status !== 'unknown') return ignored('not-unknown');
  const { at, finding, policy } = command;
  const { attempt } = state;
  if (hasContradiction(state)) return happened(parked(at, 'unknown-outcome', policy));
  switch (finding.kind) {
    case 'pass-found':
      return happened({ type: 'VerifiedApplied', at, attempt, evidence: 'pass-found' });
    case 'as-wanted':
      // Without a difference before, the pass may have been so all along.
      if (state.before?.differs !== true) return decideInconclusive(state, command);
      return happened({ type: 'VerifiedApplied', at, attempt, evidence: 'as-wanted' });
    case 'pass-absent':
      return decideAbsent(state, command);
    case 'points':
      return decidePoints(state, command, finding);
    case 'inconclusive':
      return decideInconclusive(state, command);
  }
}

/**
 * Before an enrolment is sent: a pass that is there is theirs, and none is issued. Which of several is theirs only a person
 * can tell.
 */
export function decidePassThere(state: IntentState, { at, isOnlyOne, policy }: RecordPassThere): Decision {
  if (state.status === 'absent') return ignored('not-recorded');
  if (state.status !== 'pending') return ignored('in-flight');
  if (!isOnlyOne) return happened(parked(at, 'unknown-outcome', policy));
  const attempt = state.doubts.at(-1) ?? state.attempts;
  return happened({ type: 'VerifiedApplied', at, attempt, evidence: 'pass-found' });
}

/** The lane comes back at this time: looking again without having learnt anything is no event. */
export function nextFindingAt(state: UnknownIntent, command: Pick<RecordFinding, 'at' | 'policy' | 'chance'>): number {
  const { at, policy, chance } = command;
  return nextCheckAt({ since: state.read?.at ?? state.since, inFlightMs: policy.inFlightMs, at, chance });
}

function decideAbsent(state: UnknownIntent, command: RecordFinding): Decision {
  const { at, policy } = command;
  const { attempt } = state;
  const step = resolutionStep(state, policy, at);
  if (step.kind !== 'look-up' || !step.provesAbsence) return decideInconclusive(state, command);
  const absent = { type: 'VerifiedAbsent', at, attempt, evidence: 'lookup-and-listing' } as const;
  // Refused as a duplicate of something that is not there under our id: nothing we send again would change that.
  if (state.code === duplicateIssueCode) return happened(absent, parked(at, 'rejected', policy));
  return hasTriesLeft(state, policy) ? happened(absent) : happened(absent, parked(at, 'unknown-outcome', policy));
}

/** Two equal reads `inFlightMs` apart: nothing else moves the points, and the attempt can no longer move them. */
function decidePoints(
  state: UnknownIntent,
  command: RecordFinding,
  { points }: Extract<Finding, { kind: 'points' }>,
): Decision {
  const { at, policy } = command;
  const { attempt, read } = state;
  const checkAt = at + policy.inFlightMs;
  if (read === null) return happened({ type: 'ProbeRead', at, attempt, points, checkAt });
  if (at < read.at + policy.inFlightMs) return ignored('still-unknown');
  const expected = (state.before?.points ?? NaN) + (policy.pointsDelta ?? NaN);
  if (points === read.points && points === expected) {
    return happened({ type: 'VerifiedApplied', at, attempt, evidence: 'points' });
  }
  return happened(parked(at, 'unknown-outcome', policy));
}

function decideInconclusive(state: UnknownIntent, { at, policy }: RecordFinding): Decision {
  const isPast = isPastResolving({ triedSince: state.triedSince, since: state.since, at }, policy);
  // A content that is not as wanted once the attempt cannot take effect any more will not become so.
  const isOver = policy.resolution === 'probe-content' && at >= state.since + policy.inFlightMs;
  return isPast || isOver ? happened(parked(at, 'unknown-outcome', policy)) : ignored('still-unknown');
}

/**
 * What needs no evidence: sending again where that is allowed, parking where nothing can be found out. An intent that is
 * open again is settled where an attempt of it was applied after all: the worker of a later one did not know.
 */
export function decideResolve(state: IntentState, command: ResolveUnknown): Decision {
  const { at, policy } = command;
  if (state.status === 'pending' || state.status === 'waiting') {
    const { lateApplied } = state;
    if (lateApplied !== null) return happened(...released(state, at), lateProof(lateApplied, at));
    if (state.cancelRequest !== null) return happened(...released(state, at), parked(at, 'unknown-outcome', policy));
    if (isHeldBack(state, policy)) return happened(parked(at, 'unknown-outcome', policy));
  }
  if (state.status !== 'unknown') return ignored('not-unknown');
  const step = resolutionStep(state, policy, at);
  switch (step.kind) {
    case 'park':
      return happened(parked(at, 'unknown-outcome', policy));
    case 'settle':
      return happened(lateProof(step.attempt, at));
    case 'resend':
      return happened({ type: 'ResendDecided', at, attempt: state.attempt, basis: step.basis });
    case 'wait':
    case 'look-up':
    case 'read':
      return ignored('still-unknown');
  }
}

function lateProof(attempt: number, at: number): IntentEvent {
  return { type: 'VerifiedApplied', at, attempt, evidence: 'late-outcome' };
}

/** A waiting intent says that it waits no longer before anything else becomes of it: so a rebuild sees the lease. */
function released({ status }: IntentState, at: number): IntentEvent[] {
  return status === 'waiting' ? [{ type: 'IntentReleased', at }] : [];
}

type RecordReread = Extract<IntentCommand, { type: 'RecordReread' }>;
type RecordLateOutcome = Extract<IntentCommand, { type: 'RecordLateOutcome' }>;

/**
 * What a worker that had lost its lane learned. It is knowledge: it settles what was in doubt, and never undoes what
 * was decided on better grounds.
 */
export function decideLateOutcome(state: IntentState, command: RecordLateOutcome): Decision {
  if (state.status === 'absent') return ignored('not-recorded');
  const { at, attempt, outcome } = command;
  const late: IntentEvent = { type: 'LateOutcome', at, attempt, outcome: outcome.kind, code: outcome.code };
  if (outcome.kind === 'applied' && isOpen(state)) {
    return happened(late, lateProof(attempt, at));
  }
  if (isDefiniteNo(outcome.kind) && isOnlyDoubt(state, attempt)) {
    return happened(late, { type: 'VerifiedAbsent', at, attempt, evidence: 'late-outcome' });
  }
  const taken = isDefiniteNo(outcome.kind) ? cancelVoided(state, command) : null;
  return taken === null ? happened(late) : happened(late, taken);
}

/** What was voided, and parked for this one doubt: nothing is left to decide. Null for everything else. */
function cancelVoided(state: IntentState, { at, attempt }: RecordLateOutcome): IntentEvent | null {
  if (state.status !== 'parked' || state.reason !== 'unknown-outcome' || state.cancelRequest === null) return null;
  const isLast = state.doubts.length > 0 && state.doubts.every((doubt) => doubt === attempt);
  return isLast ? { type: 'IntentCancelled', at, ...state.cancelRequest } : null;
}

/**
 * The dialect reads an answer that was kept otherwise than when it came. Only what is parked for its doubt is settled: as
 * long as the daemon looks for evidence itself, its word and this could cross.
 */
export function decideReread(state: IntentState, { at, attempt }: RecordReread): Decision {
  if (state.status === 'absent') return ignored('not-recorded');
  if (state.status !== 'parked' || state.reason !== 'unknown-outcome') return ignored('not-parked');
  // What the partner has of another attempt, which it answered otherwise, this answer does not tell.
  const isElsewhere = state.contradicted.some((other) => other !== attempt && state.doubts.includes(other));
  if (!state.doubts.includes(attempt) || isElsewhere) return ignored('other-attempt');
  return happened({ type: 'VerifiedApplied', at, attempt, evidence: 'answer-reread' });
}

function isDefiniteNo(kind: RecordLateOutcome['outcome']['kind']): boolean {
  return kind === 'not-applied' || kind === 'rejected';
}

/** Nothing of the intent is under way, and it has come to no end yet. */
function isOpen(state: IntentState): boolean {
  switch (state.status) {
    case 'unknown':
    case 'waiting':
    case 'pending':
    case 'parked':
      return true;
    case 'absent':
    case 'delivering':
    case 'delivered':
    case 'cancelled':
      return false;
  }
}

function isOnlyDoubt(state: IntentState, attempt: number): boolean {
  return state.status === 'unknown' && state.attempt === attempt && state.doubts.every((doubt) => doubt === attempt);
}

type RecordForgotten = Extract<IntentCommand, { type: 'RecordForgotten' }>;
type Doubt = Pick<RecordForgotten, 'at' | 'endedBy' | 'policy'>;

/**
 * A lost history may have sent the intent, any number of times, and may have seen the answer: that is an attempt of unknown
 * outcome, begun by nobody we know. From there on it goes the way of every unknown outcome. What was unknown before the
 * restored moment already is `unknownInLostHistory`.
 */
export function decideForgotten(state: IntentState, command: RecordForgotten): Decision {
  if (state.status === 'absent') return ignored('not-recorded');
  if (state.status !== 'pending' && state.status !== 'waiting') return ignored('in-flight');
  const { at } = command;
  const attempt = state.attempts + 1;
  return happened(...released(state, at), { type: 'AttemptBegun', at, attempt }, ...unknownSince(attempt, command));
}

/**
 * The attempt that was open at the restored moment. A lost history may have settled it, sent it again, and gone on: that
 * is more than a worker lost, and nothing that was read before it can be compared with.
 */
export function decideForgottenAttempt({ attempt }: { readonly attempt: number }, doubt: Doubt): Decision {
  return happened(...unknownSince(attempt, doubt));
}

function unknownSince(attempt: number, { at, endedBy, policy }: Doubt): IntentEvent[] {
  const unknown = (checkAt: number | null): IntentEvent => {
    return { type: 'AttemptUnknown', at, attempt, code: forgottenCode, checkAt, endedBy };
  };
  switch (resolutionAfterRecovery(policy)) {
    case 'look-up':
      return [unknown(at)];
    case 'resend':
    case 'resend-unique':
      return [unknown(Math.max(at, endedBy + policy.inFlightMs))];
    case 'park':
    case 'probe-points':
    case 'probe-content':
      return [unknown(null), parked(at, 'unknown-outcome', policy)];
  }
}

/**
 * An unknown outcome from before the restored moment: the lost history may have looked for it and sent it again, up to
 * `endedBy`, so that it is resolved as carefully as what is forgotten. What the pass showed before the attempt proves
 * nothing any more, for other calls may have moved it since. An issue that was refused as a duplicate is looked up anyway.
 */
export function unknownInLostHistory(state: IntentState, endedBy: number): IntentState {
  if (state.status !== 'unknown' || state.since >= endedBy) return state;
  const code = state.code === duplicateIssueCode ? state.code : forgottenCode;
  return { ...state, code, endedBy: Math.max(state.endedBy, endedBy), before: null, read: null };
}
