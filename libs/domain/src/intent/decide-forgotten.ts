import { forgottenCode, resolutionAfterRecovery } from '../resolution/resolution-after-recovery.js';
import { parked } from './decide-unknown.js';
import type { Decision } from './decision.js';
import { happened, ignored } from './decision.js';
import type { IntentCommand } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import type { IntentState } from './intent-state.js';

type RecordForgotten = Extract<IntentCommand, { type: 'RecordForgotten' }>;

/**
 * A lost history may have sent the intent, any number of times, and may have seen the answer: that is an attempt of unknown
 * outcome, begun by nobody we know. From there on it goes the way of every unknown outcome. What was unknown before the
 * restored moment already is `unknownInLostHistory`.
 */
export function decideForgotten(state: IntentState, command: RecordForgotten): Decision {
  if (state.status === 'absent') return ignored('not-recorded');
  if (state.status !== 'pending' && state.status !== 'waiting') return ignored('in-flight');
  const { at, endedBy, policy } = command;
  const attempt = state.attempts + 1;
  const released: IntentEvent[] = state.status === 'waiting' ? [{ type: 'IntentReleased', at }] : [];
  const unknown = (checkAt: number | null): IntentEvent[] => [
    ...released,
    { type: 'AttemptBegun', at, attempt },
    { type: 'AttemptUnknown', at, attempt, code: forgottenCode, checkAt, endedBy },
  ];
  switch (resolutionAfterRecovery(policy)) {
    case 'look-up':
      return happened(...unknown(at));
    case 'resend':
    case 'resend-unique':
      return happened(...unknown(Math.max(at, endedBy + policy.inFlightMs)));
    case 'park':
    case 'probe-points':
    case 'probe-content':
      return happened(...unknown(null), parked(at, 'unknown-outcome', policy));
  }
}

/**
 * An unknown outcome from before the restored moment: the lost history may have looked for it and sent it again, up to
 * `endedBy`. What the pass showed before the attempt proves nothing any more, for other calls may have moved it since.
 */
export function unknownInLostHistory(state: IntentState, endedBy: number): IntentState {
  if (state.status !== 'unknown' || state.since >= endedBy) return state;
  return { ...state, endedBy: Math.max(state.endedBy, endedBy), before: null, read: null };
}
