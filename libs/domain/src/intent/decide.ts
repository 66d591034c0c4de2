import { decideCorrection, decideReissue, decideReplay, decideResolution } from './decide-operator.js';
import { decideOutcome, decideUnknown } from './decide-outcome.js';
import {
  decideFinding,
  decideForgotten,
  decideForgottenAttempt,
  decideLateOutcome,
  decideReread,
  decideResolve,
} from './decide-resolution.js';
import { decideAwaitPass, decideAwaitPurchase, decideRelease } from './decide-waiting.js';
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

function decideCancel(state: IntentState, command: CommandOf<'CancelIntent'>): Decision {
  if (state.status === 'absent') return ignored('not-recorded');
  if (state.status === 'delivering' || state.status === 'unknown') return ignored('in-flight');
  if (state.status === 'delivered' || state.status === 'cancelled') return ignored('already-settled');
  return happened({ type: 'IntentCancelled', at: command.at, by: command.by, reason: command.reason });
}

/** The core's one entrance: what a command means for an intent in this state. Pure and total. */
export function decide(state: IntentState, command: IntentCommand): Decision {
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
    case 'ResolveUnknown':
      return decideResolve(state, command);
    case 'AwaitPurchase':
      return decideAwaitPurchase(state, command);
    case 'AwaitPass':
      return decideAwaitPass(state, command);
    case 'ReleaseIntent':
      return decideRelease(state, command);
    case 'ReissueIntent':
      return decideReissue(state, command);
    case 'CancelIntent':
      return decideCancel(state, command);
    case 'ReplayIntent':
      return decideReplay(state, command);
    case 'ResolveIntent':
      return decideResolution(state, command);
    case 'CorrectIntent':
      return decideCorrection(state, command);
  }
}
