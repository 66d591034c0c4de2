import type { AttemptOutcome, Decision, Operation } from '#domain';
import { isUnprovenCode } from '#domain';

import type { StreakVerdict } from '../gate/program-pauses.js';
import type { OpenCall } from './lane-book.js';
import { stateOf } from './lane-work.js';

/**
 * Whether an outcome is one in a row that meets one member after the other: then the configuration is broken, the
 * operation is paused, and the intent is to be put back instead of parked. Nothing is put back that may have taken
 * effect: an earlier attempt in doubt, or this one, answered with a yes that proves nothing.
 */
export function isRefusedForAll(call: OpenCall, outcome: AttemptOutcome, decision: Decision): boolean {
  const { desk, work, intent } = call;
  const { operation, seq } = intent;
  const seen = meaningOf(outcome, decision);
  const verdict: StreakVerdict =
    seen === null ? { kind: 'fine' } : desk.refusals.answered(operation, work.lane.laneId, seen);
  if (verdict.kind === 'fine') return false;
  desk.pauses.want({ operation, reason: pauseReason(operation, verdict) });
  const state = stateOf(work, seq);
  return outcome.kind === 'rejected' && (state.status === 'absent' || !state.hadUnknown);
}

/** As if the partner had not been asked: it comes back when the pause is lifted, and no try is used up. */
export function putBack(outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== 'rejected') return outcome;
  return { kind: 'not-applied', code: outcome.code, answered: false, systemic: true, retryAfterMs: null };
}

/**
 * A refusal says that something is broken only where the intent ends by it: a duplicate may prove that an earlier attempt
 * was applied, or that the pass must be looked up. After a crash there are as many of these in a row as calls were open.
 */
function meaningOf(outcome: AttemptOutcome, decision: Decision): AttemptOutcome | null {
  if (outcome.kind !== 'rejected' || decision.kind === 'ignored') return outcome;
  const types = decision.events.map(({ type }) => type);
  if (types.includes('VerifiedApplied')) return { kind: 'applied' };
  return types.includes('IntentParked') ? outcome : null;
}

/** Without the partner's words: they may be about a person. */
function pauseReason(operation: Operation, { code, members }: Extract<StreakVerdict, { kind: 'broken' }>): string {
  return isUnprovenCode(code)
    ? `the partner answered ${operation} for ${members} members in a row with what proves nothing (${code})`
    : `the partner refused ${operation} for ${members} members in a row for the same reason (${code})`;
}
