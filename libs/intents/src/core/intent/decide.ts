import { decideCancel, decideCorrection, decideReissue, decideReplay, decideResolution } from './decide-operator.js';
import { decideOutcome, decideUnknown } from './decide-outcome.js';
import {
  decideFinding,
  decideForgotten,
  decideForgottenAttempt,
  decideLateOutcome,
  decidePassThere,
  decideReread,
  decideResolve,
} from './decide-resolution.js';
import {
  decideAwaitPass,
  decideAwaitPurchase,
  decideExpiry,
  decideRelease,
  decideStepAside,
} from './decide-waiting.js';
import { evolve } from './evolve.js';
import type { Decision, IntentCommand } from './intent-command.js';
import { happened, ignored } from './intent-command.js';
import type { IntentState } from './intent-state.js';

type CommandOf<T extends IntentCommand['type']> = Extract<IntentCommand, { type: T }>;

function decideRecord(state: IntentState, command: CommandOf<'RecordIntent'>): Decision {
  if (state.status !== 'absent') return ignored('already-recorded');
  const { at, parkedAs } = command;
  if (parkedAs === null) return happened({ type: 'IntentRecorded', at });
  return happened({ type: 'IntentRecorded', at }, { type: 'IntentParked', at, reason: parkedAs, lane: 'continue' });
}

function decideBegin(state: IntentState, command: CommandOf<'BeginAttempt'>): Decision {
  switch (state.status) {
    case 'absent':
      return ignored('not-recorded');
    case 'pending':
      if (state.lateApplied !== null) return ignored('already-applied');
      if (state.cancelRequest !== null) return ignored('cancel-requested');
      return happened({
        type: 'AttemptBegun',
        at: command.at,
        attempt: state.attempts + 1,
        ...(command.before === undefined ? {} : { before: command.before }),
      });
    case 'waiting':
      return ignored('waiting-for-pass');
    case 'delivering':
    case 'unknown':
      return ignored('in-flight');
    case 'delivered':
    case 'parked':
    case 'cancelled':
      return ignored('already-settled');
  }
}

function decideLostAttempt(state: IntentState, command: CommandOf<'RecordLostAttempt'>): Decision {
  if (state.status !== 'delivering') return ignored('not-begun');
  const { endedBy } = command;
  if (endedBy !== undefined && state.lateApplied === null) {
    return decideForgottenAttempt(state, { ...command, endedBy });
  }
  return decideUnknown(state, { ...command, code: 'worker-lost', retryAfterMs: null });
}

/** Of what can be cancelled right away this is not asked. */
function decideRequestCancel(state: IntentState, command: CommandOf<'RequestCancel'>): Decision {
  if (state.status === 'absent') return ignored('not-recorded');
  if (state.status === 'delivered' || state.status === 'cancelled') return ignored('already-settled');
  if (state.cancelRequest !== null) return ignored('already-requested');
  const { at, by, reason, cause } = command;
  return happened({ type: 'CancelRequested', at, by, reason, cause });
}

/**
 * Whatever a voided intent would park for: it is cancelled where nothing of it can have taken effect; else its outcome is
 * unknown, and who must look learns of the void.
 */
function heedCancelRequest(state: IntentState, decision: Decision): Decision {
  if (state.status === 'absent' || state.cancelRequest === null || decision.kind === 'ignored') return decision;
  const last = decision.events.at(-1);
  if (last?.type !== 'IntentParked' || last.reason === 'erased') return decision;
  const events = decision.events.slice(0, -1);
  const ended = events.reduce(evolve, state);
  const { by, reason, cause } = state.cancelRequest;
  const isInDoubt = ended.status === 'absent' || ended.doubts.length > 0 || ended.lateApplied !== null;
  return isInDoubt
    ? happened(...events, { ...last, reason: 'unknown-outcome', cause })
    : happened(...events, { type: 'IntentCancelled', at: last.at, by, reason, cause });
}

/** The core's one entrance: what a command means for an intent in this state. Pure and total. */
export function decide(state: IntentState, command: IntentCommand): Decision {
  return heedCancelRequest(state, decideCommand(state, command));
}

function decideCommand(state: IntentState, command: IntentCommand): Decision {
  switch (command.type) {
    case 'RecordIntent':
      return decideRecord(state, command);
    case 'BeginAttempt':
      return decideBegin(state, command);
    case 'RecordOutcome':
      return decideOutcome(state, command);
    case 'RecordLostAttempt':
      return decideLostAttempt(state, command);
    case 'RecordForgotten':
      return decideForgotten(state, command);
    case 'RecordLateOutcome':
      return decideLateOutcome(state, command);
    case 'RecordReread':
      return decideReread(state, command);
    case 'RecordFinding':
      return decideFinding(state, command);
    case 'RecordPassThere':
      return decidePassThere(state, command);
    case 'ResolveUnknown':
      return decideResolve(state, command);
    case 'AwaitPurchase':
      return decideAwaitPurchase(state, command);
    case 'AwaitPass':
      return decideAwaitPass(state, command);
    case 'ReleaseIntent':
      return decideRelease(state, command);
    case 'StepAside':
      return decideStepAside(state, command);
    case 'ExpireIntent':
      return decideExpiry(state, command);
    case 'ReissueIntent':
      return decideReissue(state, command);
    case 'CancelIntent':
      return decideCancel(state, command);
    case 'RequestCancel':
      return decideRequestCancel(state, command);
    case 'ReplayIntent':
      return decideReplay(state, command);
    case 'ResolveIntent':
      return decideResolution(state, command);
    case 'CorrectIntent':
      return decideCorrection(state, command);
  }
}
