import { answeredOtherwiseCode, isUnprovenCode } from '../delivery/classify-outcome.js';
import { deniedPassDelayMsMin, retryDelayMs, retryDelayMsMin } from '../delivery/retry-delay.js';
import { groupOf, needsPass } from '../operation.js';
import type { DeliveryPolicy } from '../resolution/resolution.js';
import {
  duplicateIssueCode,
  firstCheckAt,
  isPastResolving,
  resolutionAfterVoid,
  resolutionAfterYes,
} from '../resolution/resolution.js';
import type { Decision, IntentCommand } from './intent-command.js';
import { happened, ignored } from './intent-command.js';
import type { IntentEvent, ParkedReason } from './intent-event.js';
import type { IntentHistory, IntentState } from './intent-state.js';
import { hasContradiction, hasUnprovenYes } from './intent-state.js';

type Delivering = Extract<IntentState, { status: 'delivering' }>;

interface UnknownAttempt {
  readonly at: number;
  readonly code: string;
  readonly retryAfterMs: number | null;
  readonly policy: DeliveryPolicy;
  readonly chance: number;
}

export function parked(at: number, reason: ParkedReason, policy: DeliveryPolicy): IntentEvent {
  return { type: 'IntentParked', at, reason, lane: policy.onPark };
}

/** Nobody knows whether the attempt took effect: evidence is looked for, or a person must look. */
export function decideUnknown(state: Delivering, unknown: UnknownAttempt): Decision {
  const { at, code, policy } = unknown;
  const { attempt } = state;
  if (state.lateApplied !== null) {
    return happened(
      { type: 'AttemptUnknown', at, attempt, code, checkAt: null },
      { type: 'VerifiedApplied', at, attempt: state.lateApplied, evidence: 'late-outcome' },
    );
  }
  if (state.lateRefused === attempt && state.doubts.length === 0) {
    return happened(
      { type: 'AttemptUnknown', at, attempt, code, checkAt: null },
      { type: 'VerifiedAbsent', at, attempt, evidence: 'late-outcome' },
    );
  }
  if (!canBeResolved(state, unknown)) {
    return happened(
      { type: 'AttemptUnknown', at, attempt, code, checkAt: null },
      parked(at, 'unknown-outcome', policy),
    );
  }
  return happened({ type: 'AttemptUnknown', at, attempt, code, checkAt: firstCheckAt(policy, unknown) });
}

/** The partner already has a pass with our id: whether it is ours, a lookup tells. */
function decideDuplicateIssue(state: Delivering, unknown: Omit<UnknownAttempt, 'code' | 'retryAfterMs'>): Decision {
  const { at } = unknown;
  return happened({ type: 'AttemptUnknown', at, attempt: state.attempt, code: duplicateIssueCode, checkAt: at });
}

/** As the attempt under way may have been by another worker's late word, too. */
function isContradicted(state: Delivering): boolean {
  return hasContradiction(state) || state.contradicted.includes(state.attempt);
}

/** A probe needs something to compare with; whatever would be sent again must have tries left. */
function canBeResolved(state: Delivering, { at, code, policy }: UnknownAttempt): boolean {
  if (code === answeredOtherwiseCode || isContradicted(state)) return false;
  const isUnprovenYes = isUnprovenCode(code) || hasUnprovenYes(state) || state.unproven.includes(state.attempt);
  switch (resolutionAfterVoid(state, resolutionAfterYes(policy, isUnprovenYes))) {
    case 'park':
      return false;
    case 'look-up':
      return true;
    case 'probe-points':
      return state.before?.points !== undefined;
    case 'probe-content':
      return state.before?.differs === true;
    case 'resend':
    case 'resend-unique':
      return (
        hasTriesLeft(state, policy, 1) && !isPastResolving({ triedSince: state.triedSince, since: at, at }, policy)
      );
  }
}

/**
 * Whether another attempt is allowed. Answers and unknown outcomes use up tries; what never reached the partner does not.
 * @param open tries under way that the history does not count yet
 */
export function hasTriesLeft(history: IntentHistory, { retries }: DeliveryPolicy, open = 0): boolean {
  return history.answeredTries + history.unknownTries + open < retries.maxAttempts;
}

type OutcomeCommand = Extract<IntentCommand, { type: 'RecordOutcome' }>;
type NotApplied = Extract<OutcomeCommand['outcome'], { kind: 'not-applied' }>;
type Rejected = Extract<OutcomeCommand['outcome'], { kind: 'rejected' }>;

function decideNotApplied(state: Delivering, command: OutcomeCommand, outcome: NotApplied): Decision {
  const { at, attempt, policy, chance } = command;
  const delayMs = retryDelayMs({ lastDelayMs: state.lastDelayMs, retryAfterMs: outcome.retryAfterMs, chance });
  const event: IntentEvent = {
    type: 'AttemptNotApplied',
    at,
    attempt,
    code: outcome.code,
    answered: outcome.answered,
    retryAt: at + delayMs,
  };
  const isTooOften = !hasTriesLeft(state, policy, 1);
  const isTooOld = at + delayMs - state.triedSince > policy.retries.maxAgeMs;
  // Waiting for a connection, a token or a limit never uses up tries (design.md section 3): only answers do.
  if (!outcome.answered || !(isTooOften || isTooOld)) return happened(event);
  return happened(event, parked(at, state.hadUnknown ? 'unknown-outcome' : 'exhausted', policy));
}

function rejectedBy(
  { at, attempt }: OutcomeCommand,
  { code, fingerprint }: Pick<Rejected, 'code' | 'fingerprint'>,
): IntentEvent {
  return { type: 'AttemptRejected', at, attempt, code, ...(fingerprint === undefined ? {} : { fingerprint }) };
}

function decideRejected(state: Delivering, command: OutcomeCommand, outcome: Rejected): Decision {
  const { at, attempt, policy, chance } = command;
  // A refusal would prove whatever was done in the place of what was asked.
  if (hasContradiction(state)) return happened(rejectedBy(command, outcome), parked(at, 'unknown-outcome', policy));
  if (outcome.code === 'duplicate' && groupOf(policy.operation) === 'issue') {
    return decideDuplicateIssue(state, command);
  }
  const inDoubt = state.doubts.at(-1);
  if (outcome.code === 'duplicate' && inDoubt !== undefined) {
    // The refused value is the one that an attempt in doubt sent: that attempt took effect (design.md section 6).
    return happened(rejectedBy(command, outcome), {
      type: 'VerifiedApplied',
      at,
      attempt: inDoubt,
      evidence: 'duplicate-refusal',
    });
  }
  if (outcome.code === 'no-such-pass' && isWorthWaiting(state, command)) {
    // A lookup may lag behind the lane's own issue: wait and look again instead of giving the sale up.
    const delayMs = retryDelayMs({ lastDelayMs: state.lastDelayMs, retryAfterMs: null, chance });
    const recheckAt = at + Math.max(deniedPassDelayMsMin, delayMs);
    return happened(
      { type: 'AttemptNotApplied', at, attempt, code: outcome.code, answered: false, retryAt: recheckAt },
      { type: 'PassAbsent', at },
      { type: 'WaitingBegan', at, for: 'pass', recheckAt },
    );
  }
  // A refusal proves nothing about an attempt before it that is still in doubt (design.md section 6).
  const reason = state.doubts.length > 0 ? 'unknown-outcome' : 'rejected';
  return happened(rejectedBy(command, meantBy(outcome, state)), parked(at, reason, policy));
}

/** The pass was found since it was denied, and is denied again: what is not found is something else. */
function meantBy(outcome: Rejected, { passDenial }: Delivering): Rejected {
  return outcome.code === 'no-such-pass' && passDenial === 'found' ? { ...outcome, code: 'refused' } : outcome;
}

function isWorthWaiting({ recordedAt, passDenial }: Delivering, { at, policy }: OutcomeCommand): boolean {
  return needsPass(policy.operation) && passDenial !== 'found' && at - recordedAt < policy.missingPassWaitMs;
}

/** An earlier attempt took effect, as its worker reported late: whatever came of this one, the intent is delivered. */
function decideKnownApplied(state: Delivering, command: OutcomeCommand): Decision {
  const { at, attempt, outcome } = command;
  const verified = {
    type: 'VerifiedApplied',
    at,
    attempt: state.lateApplied ?? attempt,
    evidence: 'late-outcome',
  } as const;
  switch (outcome.kind) {
    case 'applied':
      return happened({ type: 'AttemptApplied', at, attempt });
    case 'rejected':
      return happened({ type: 'AttemptRejected', at, attempt, code: outcome.code }, verified);
    case 'not-applied': {
      const { code, answered } = outcome;
      const retryAt = at + retryDelayMsMin;
      return happened({ type: 'AttemptNotApplied', at, attempt, code, answered, retryAt }, verified);
    }
    case 'unknown':
      return happened({ type: 'AttemptUnknown', at, attempt, code: outcome.code, checkAt: null }, verified);
  }
}

/** What an attempt's outcome means for its intent. */
export function decideOutcome(state: IntentState, command: OutcomeCommand): Decision {
  if (state.status !== 'delivering') return ignored('not-begun');
  if (state.attempt !== command.attempt) return ignored('other-attempt');
  if (state.lateApplied !== null) return decideKnownApplied(state, command);
  const { at, attempt, outcome } = command;
  switch (outcome.kind) {
    case 'applied':
      return happened({ type: 'AttemptApplied', at, attempt });
    case 'rejected':
      return decideRejected(state, command, outcome);
    case 'not-applied':
      return decideNotApplied(state, command, outcome);
    case 'unknown':
      return decideUnknown(state, { ...command, code: outcome.code, retryAfterMs: outcome.retryAfterMs });
  }
}
