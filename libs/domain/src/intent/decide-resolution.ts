import { isPastResolving, nextCheckAt } from '../resolution/check-time.js';
import { duplicateIssueCode, isHeldBack, resolutionStep } from '../resolution/resolution-step.js';
import { hasTriesLeft, parked } from './decide-unknown.js';
import type { Decision } from './decision.js';
import { happened, ignored } from './decision.js';
import type { Finding, IntentCommand } from './intent-command.js';
import type { IntentState, UnknownIntent } from './intent-state.js';

type RecordFinding = Extract<IntentCommand, { type: 'RecordFinding' }>;
type ResolveUnknown = Extract<IntentCommand, { type: 'ResolveUnknown' }>;

/** What evidence says about the attempt whose outcome is unknown (design.md section 6). */
export function decideFinding(state: IntentState, command: RecordFinding): Decision {
  if (state.status !== 'unknown') return ignored('not-unknown');
  const { at, finding } = command;
  const { attempt } = state;
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

/** What needs no evidence: sending again where that is allowed, parking where nothing can be found out. */
export function decideResolve(state: IntentState, command: ResolveUnknown): Decision {
  const { at, policy } = command;
  const isOpen = state.status === 'pending' || state.status === 'waiting';
  if (isOpen && isHeldBack(state, policy)) return happened(parked(at, 'unknown-outcome', policy));
  if (state.status !== 'unknown') return ignored('not-unknown');
  const step = resolutionStep(state, policy, at);
  switch (step.kind) {
    case 'park':
      return happened(parked(at, 'unknown-outcome', policy));
    case 'settle':
      return happened({ type: 'VerifiedApplied', at, attempt: step.attempt, evidence: 'late-outcome' });
    case 'resend':
      return happened({ type: 'ResendDecided', at, attempt: state.attempt, basis: step.basis });
    case 'wait':
    case 'look-up':
    case 'read':
      return ignored('still-unknown');
  }
}
