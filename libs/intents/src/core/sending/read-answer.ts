import type { WalletPass } from '#contracts';

import type { AttemptOutcome } from '../delivery/classify-outcome.js';
import { decide } from '../intent/decide.js';
import type { IntentEvent } from '../intent/intent-event.js';
import { groupOf } from '../operation.js';
import type { Sending } from './next-step.js';

/** How an attempt came out. */
interface Answer {
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
}

/**
 * What an attempt's outcome means for its intent. Pure.
 * @param chance uniform in [0, 1)
 */
export function decideAnswer(sending: Sending, answer: Answer, chance: number): readonly IntentEvent[] {
  const { state, policy, now } = sending;
  const decision = decide(state, { type: 'RecordOutcome', at: now, ...answer, policy, chance });
  if (decision.kind === 'ignored') throw new Error(`an attempt's outcome was ignored: ${decision.reason}`);
  return decision.events;
}

/**
 * What an answer shows about the configuration of its operation; null: nothing. A refusal shows that something is broken only
 * where the intent ends by it: a duplicate may prove that an earlier attempt was applied, or that the pass must be looked up.
 * After a crash there are as many of these in a row as calls were open.
 * @param events what the outcome means for the intent
 */
export function meaningForAll(outcome: AttemptOutcome, events: readonly IntentEvent[]): AttemptOutcome | null {
  if (outcome.kind !== 'rejected') return outcome;
  if (events.some(({ type }) => type === 'VerifiedApplied')) return { kind: 'applied' };
  if (!events.some(({ type }) => type === 'IntentParked')) return null;
  // The history may show what the refusal means: of a pass that was found it is no lack.
  const as = events.find(({ type }) => type === 'AttemptRejected');
  return as?.type === 'AttemptRejected' ? { ...outcome, code: as.code } : outcome;
}

/**
 * A refusal that meets one member after the other, taken as if the partner had not been asked: the intent comes back when the
 * pause of its operation is lifted, and no try is used up. Null for what may have taken effect, for nothing of that is requeued:
 * an earlier attempt in doubt, or this one, answered with a yes that proves nothing.
 */
export function requeuedOutcome({ state }: Pick<Sending, 'state'>, outcome: AttemptOutcome): AttemptOutcome | null {
  if (outcome.kind !== 'rejected' || (state.status !== 'absent' && state.hadUnknown)) return null;
  return { kind: 'not-applied', code: outcome.code, answered: false, systemic: true, retryAfterMs: null };
}

/** The pass that an enrolment was answered with; null for every other answer. */
export function passAnswered(
  { operation }: Pick<Sending['intent'], 'operation'>,
  { outcome, value }: { readonly outcome: AttemptOutcome; readonly value: unknown },
): WalletPass | null {
  return outcome.kind === 'applied' && groupOf(operation) === 'issue' ? (value as WalletPass | null) : null;
}
