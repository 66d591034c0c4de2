import type { Decision } from './decision.js';
import { happened, ignored } from './decision.js';
import type { IntentCommand } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import type { IntentState } from './intent-state.js';

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
  if (outcome.kind === 'applied' && isInDoubt(state)) {
    return happened(late, { type: 'VerifiedApplied', at, attempt, evidence: 'late-outcome' });
  }
  if (isDefiniteNo(outcome.kind) && isOnlyDoubt(state, attempt)) {
    return happened(late, { type: 'VerifiedAbsent', at, attempt, evidence: 'late-outcome' });
  }
  return happened(late);
}

/**
 * The dialect reads an answer that was kept otherwise than when it came. Only what is parked for its doubt is settled: as
 * long as the daemon looks for evidence itself, its word and this could cross.
 */
export function decideReread(state: IntentState, { at, attempt }: RecordReread): Decision {
  if (state.status === 'absent') return ignored('not-recorded');
  if (state.status !== 'parked' || state.reason !== 'unknown-outcome') return ignored('not-parked');
  if (!state.doubts.includes(attempt)) return ignored('other-attempt');
  return happened({ type: 'VerifiedApplied', at, attempt, evidence: 'answer-reread' });
}

function isDefiniteNo(kind: RecordLateOutcome['outcome']['kind']): boolean {
  return kind === 'not-applied' || kind === 'rejected';
}

/** Nothing of the intent is under way, and it is not settled on other grounds. */
function isInDoubt(state: IntentState): boolean {
  switch (state.status) {
    case 'unknown':
    case 'waiting':
    case 'pending':
      return true;
    case 'parked':
      return state.doubts.length > 0;
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
