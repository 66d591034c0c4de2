import { forgottenCode, resolutionAfterRecovery } from '../resolution/resolution-after-recovery.js';
import { duplicateIssueCode } from '../resolution/resolution-step.js';
import { parked } from './decide-unknown.js';
import type { Decision } from './decision.js';
import { happened, ignored } from './decision.js';
import type { IntentCommand } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import type { IntentState } from './intent-state.js';

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
  const released: IntentEvent[] = state.status === 'waiting' ? [{ type: 'IntentReleased', at }] : [];
  return happened(...released, { type: 'AttemptBegun', at, attempt }, ...unknownSince(attempt, command));
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
