import type { IntentEvent, ParkedReason, PassBefore, WaitsFor } from './intent-event.js';

/** By whom an intent is to be cancelled, and why. */
export type CancelCause = Pick<Extract<IntentEvent, { type: 'CancelRequested' }>, 'by' | 'reason' | 'cause'>;

/** What every recorded intent remembers, whatever its status. */
export interface IntentHistory {
  readonly recordedAt: number;
  /**
   * Since when `retries.maxAgeMs` counts, epoch ms: the recording, or the last time that a person put the intent back.
   * An old intent that is requeued is retried like a new one, not only once.
   */
  readonly triedSince: number;
  /** Attempts begun. */
  readonly attempts: number;
  /** Attempts that the partner answered with "not applied": what counts against `retries`. */
  readonly answeredTries: number;
  /** Once an attempt's outcome was unknown, running out of tries parks as `unknown-outcome`, never `exhausted`. */
  readonly hadUnknown: boolean;
  /** Attempts whose outcome was unknown: they use up tries, too, for each may have taken effect. */
  readonly unknownTries: number;
  /**
   * Attempts with the present content that may have taken effect: only a duplicate of what one of these sent proves
   * that it did. Bounded by `retries.maxAttempts`.
   */
  readonly doubts: readonly number[];
  /** Attempts, of these or earlier ones, that the partner answered with a yes that proved nothing (`isUnprovenCode`). */
  readonly unproven: readonly number[];
  /** Of these the ones whose answer contradicted what was asked (`answeredOtherwiseCode`). */
  readonly contradicted: readonly number[];
  /** The attempt that was applied, as a worker that had lost its lane reported; null where none was. */
  readonly lateApplied: number | null;
  /** The attempt that surely was not applied, by the same way; null where none was. */
  readonly lateRefused: number | null;
  /** When it was last known to have been applied, epoch ms; null: never. */
  readonly appliedAt: number | null;
  /** When it was last taken into account that a lost history may have sent it (`forgottenCode`); null: never. */
  readonly forgottenAt: number | null;
  /** The void or revocation that came while it was under way or in doubt; null: none did. */
  readonly cancelRequest: CancelCause | null;
  /**
   * What the partner says of the pass after it has refused the intent for the lack of one. `denied`: so far nothing else.
   * `found`: a lookup has shown it since, so that the refusal is about something else. Null: no such refusal counts.
   */
  readonly passDenial: 'denied' | 'found' | null;
  /** An operator has requeued the intent: it yields to live traffic. */
  readonly isReplay: boolean;
  /** The last delay before a retry or re-check, milliseconds; feeds the decorrelated jitter. */
  readonly lastDelayMs: number;
}

/** An intent's status (contracts.md section 5) with what that status needs to know. Fold of `evolve`. */
export type IntentState =
  | { readonly status: 'absent' }
  | ({ readonly status: 'waiting'; readonly for: WaitsFor; readonly since: number } & IntentHistory)
  | ({ readonly status: 'pending' } & IntentHistory)
  | ({ readonly status: 'delivering'; readonly attempt: number; readonly before: PassBefore | null } & IntentHistory)
  | UnknownIntent
  | ({ readonly status: 'delivered' } & IntentHistory)
  | ({ readonly status: 'parked'; readonly reason: ParkedReason } & IntentHistory)
  | ({ readonly status: 'cancelled' } & IntentHistory);

/** An attempt's outcome is looked for. */
export interface UnknownIntent extends IntentHistory {
  readonly status: 'unknown';
  readonly attempt: number;
  readonly since: number;
  /** When the last call of it can have been begun: `inFlightMs` later nothing of it can take effect any more. */
  readonly endedBy: number;
  readonly code: string;
  readonly before: PassBefore | null;
  /** The first of the two reads that a probe needs. */
  readonly read: { readonly points: number; readonly at: number } | null;
}

export type IntentStatus = Exclude<IntentState['status'], 'absent'>;

export const initialIntentState: IntentState = { status: 'absent' };

/** Whether an attempt in doubt was answered with a success that proved nothing. */
export function hasUnprovenYes({ doubts, unproven }: IntentHistory): boolean {
  return unproven.some((attempt) => doubts.includes(attempt));
}

/**
 * Whether an attempt in doubt was answered with something else than was asked. Then the partner may have something of it, and
 * neither a second call nor its refusal, nor what a pass shows, tells what: only a person's word settles it.
 */
export function hasContradiction({ doubts, contradicted }: IntentHistory): boolean {
  return contradicted.some((attempt) => doubts.includes(attempt));
}

/** Nothing more is sent for this intent unless an operator reopens it. */
export function isSettled(state: IntentState): boolean {
  return state.status === 'delivered' || state.status === 'cancelled' || state.status === 'parked';
}

/**
 * Nothing of it can have taken effect: never sent, or every attempt turned out not to be applied, by the partner's
 * answer, by evidence or by an operator's decision. Only then an event may cancel or correct it.
 */
export function isUntouched(state: IntentState): boolean {
  const isOpen = state.status === 'pending' || state.status === 'waiting' || state.status === 'parked';
  return isOpen && state.doubts.length === 0 && state.lateApplied === null;
}
