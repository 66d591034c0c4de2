import type { AttemptOutcome } from '../../delivery/classify-outcome.js';
import type { DeliveryPolicy } from '../../resolution/resolution.js';
import type { IntentCommand } from '../intent-command.js';
import type { IntentEvent } from '../intent-event.js';

/** When the intent of the specs is recorded, epoch ms. */
export const recordedAt = 1_000_000;

export const transactionPolicy: DeliveryPolicy = {
  retries: { maxAttempts: 3, maxAgeMs: 3_600_000 },
  missingPassWaitMs: 600_000,
  missingPurchaseWaitMs: 60_000,
  postsUnknownRefunds: false,
  inFlightMs: 120_000,
  onPark: 'continue',
  resolution: 'park',
  pointsDelta: null,
  spendsPoints: false,
  operation: 'transaction',
};

export const issuePolicy: DeliveryPolicy = { ...transactionPolicy, onPark: 'block', operation: 'issue' };

export const recorded: IntentEvent = { type: 'IntentRecorded', at: recordedAt };

export function begun(attempt: number, at = recordedAt + attempt): IntentEvent {
  return { type: 'AttemptBegun', at, attempt };
}

/** An attempt that failed before the partner could have applied it. */
export function failed(attempt: number, answered: boolean): readonly IntentEvent[] {
  const at = recordedAt + attempt;
  const retryAt = at + 500;
  return [begun(attempt, at), { type: 'AttemptNotApplied', at, attempt, code: 'http-429', answered, retryAt }];
}

/** An attempt that nobody saw the end of. */
export function lost(
  attempt: number,
  at = recordedAt + attempt,
  checkAt: number | null = at + 1_000,
): readonly IntentEvent[] {
  return [begun(attempt, at), { type: 'AttemptUnknown', at, attempt, code: 'reset', checkAt }];
}

export function outcomeOf(
  outcome: AttemptOutcome,
  change: Partial<Extract<IntentCommand, { type: 'RecordOutcome' }>> = {},
): IntentCommand {
  const base = {
    type: 'RecordOutcome',
    at: recordedAt + 1_000,
    attempt: 1,
    policy: transactionPolicy,
    chance: 0,
  } as const;
  return { ...base, outcome, ...change };
}

export const applied: AttemptOutcome = { kind: 'applied' };
export const unknown: AttemptOutcome = { kind: 'unknown', code: 'reset', retryAfterMs: null };

export function rejected(code: 'duplicate' | 'no-such-pass' | 'refused'): AttemptOutcome {
  return { kind: 'rejected', code, message: 'no' };
}

export function notApplied(answered: boolean, retryAfterMs: number | null = null): AttemptOutcome {
  return { kind: 'not-applied', code: 'http-429', answered, systemic: false, retryAfterMs };
}
