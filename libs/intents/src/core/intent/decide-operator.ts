import type { Decision, IntentCommand } from './intent-command.js';
import { happened, ignored } from './intent-command.js';
import type { IntentState } from './intent-state.js';
import { isUntouched } from './intent-state.js';

type CommandOf<T extends IntentCommand['type']> = Extract<IntentCommand, { type: T }>;

/** Why a person's word cannot change an intent that stands like this, whatever the word; null where it can. */
function untouchable(state: IntentState): Decision | null {
  switch (state.status) {
    case 'absent':
      return ignored('not-recorded');
    case 'delivering':
    case 'unknown':
      return ignored('in-flight');
    case 'delivered':
    case 'cancelled':
      return ignored('already-settled');
    case 'parked':
      return state.reason === 'erased' ? ignored('erased') : null;
    case 'pending':
    case 'waiting':
      return null;
  }
}

/** Attempts that may have taken effect, and nobody has said yet whether they did. */
function isInDoubt(state: IntentState): boolean {
  return state.status !== 'absent' && state.doubts.length > 0;
}

/** One that did, as its worker reported late: the intent is settled when its lane comes to it. */
function isApplied(state: IntentState): boolean {
  return state.status !== 'absent' && state.lateApplied !== null;
}

/** What a void or revocation has taken back is never sent again, by nobody's word. */
function isVoided(state: IntentState): boolean {
  return state.status !== 'absent' && state.cancelRequest !== null;
}

/** Nothing is sent again that may have taken effect: a person says first what became of it. */
export function decideReplay(state: IntentState, command: CommandOf<'ReplayIntent'>): Decision {
  const refused = untouchable(state);
  if (refused !== null) return refused;
  if (state.status !== 'parked') return ignored('not-parked');
  if (isInDoubt(state)) return ignored('in-doubt');
  if (isVoided(state)) return ignored('voided');
  const { at, by, reason, overtaken } = command;
  return happened({ type: 'IntentReplayed', at, by, reason, overtaken });
}

/**
 * What is cancelled does not stand at the partner. So of what may have taken effect it takes a person's word that it did not,
 * and, where an attempt is known of, only once nothing looks for evidence of that any more.
 */
export function decideCancel(state: IntentState, command: CommandOf<'CancelIntent'>): Decision {
  const { at, by, reason, cause, isForgotten = false, isNotDelivered = false } = command;
  const cancelled = { type: 'IntentCancelled', at, by, reason, ...(cause === undefined ? {} : { cause }) } as const;
  if (isUntouched(state)) return isForgotten && !isNotDelivered ? ignored('in-doubt') : happened(cancelled);
  const refused = untouchable(state);
  if (refused !== null) return refused;
  if (state.status !== 'parked') return ignored('in-flight');
  if (!isNotDelivered) return ignored('in-doubt');
  return happened({ type: 'IntentResolved', at, by, reason, as: 'not-delivered' }, cancelled);
}

/** Only of what is delivered: whatever else an enrolment is, it has its own way to an end. */
export function decideReissue(state: IntentState, command: CommandOf<'ReissueIntent'>): Decision {
  if (state.status === 'absent') return ignored('not-recorded');
  if (state.status !== 'delivered') return ignored('not-delivered');
  const { at, by, reason, overtaken, job } = command;
  return happened({ type: 'IntentReissued', at, by, reason, overtaken, ...(job === undefined ? {} : { job }) });
}

/** Only of what is parked: as long as the daemon looks for evidence itself, its word and a person's could cross. */
export function decideResolution(state: IntentState, command: CommandOf<'ResolveIntent'>): Decision {
  const refused = untouchable(state);
  if (refused !== null) return refused;
  if (state.status !== 'parked') return ignored('not-parked');
  const { at, by, reason, as, isKept = false } = command;
  const resolved = { type: 'IntentResolved', at, by, reason, as } as const;
  const { cancelRequest } = state;
  if (as === 'delivered') return happened(resolved);
  if (cancelRequest !== null) return happened(resolved, { type: 'IntentCancelled', at, ...cancelRequest });
  return isKept
    ? happened(resolved, { type: 'IntentParked', at, reason: 'not-delivered', lane: 'continue' })
    : happened(resolved);
}

/** What is in doubt is resolved first: another content would take away what its evidence is about. */
export function decideCorrection(state: IntentState, command: CommandOf<'CorrectIntent'>): Decision {
  const refused = untouchable(state);
  if (refused !== null) return refused;
  if (isInDoubt(state) || isApplied(state)) return ignored('in-doubt');
  if (isVoided(state)) return ignored('voided');
  const { at, by, reason, amount } = command;
  return happened({ type: 'IntentCorrected', at, by, reason, ...(amount === undefined ? {} : { amount }) });
}
