import type { ParkedReason, WaitsFor } from './intent-event.js';

/** What every recorded intent remembers, whatever its status. */
export interface IntentHistory {
  readonly recordedAt: number;
  /** Attempts begun. */
  readonly attempts: number;
  /** Attempts that the partner answered with "not applied": what counts against `retries`. */
  readonly answeredTries: number;
  /** Once an attempt's outcome was unknown, running out of tries parks as `unknown-outcome`, never `exhausted`. */
  readonly hadUnknown: boolean;
  /** The last delay before a retry or re-check, milliseconds; feeds the decorrelated jitter. */
  readonly lastDelayMs: number;
}

/** An intent's status (contracts.md section 5) with what that status needs to know. Fold of `evolve`. */
export type IntentState =
  | { readonly status: 'absent' }
  | ({ readonly status: 'waiting'; readonly for: WaitsFor; readonly since: number } & IntentHistory)
  | ({ readonly status: 'pending' } & IntentHistory)
  | ({ readonly status: 'delivering'; readonly attempt: number } & IntentHistory)
  | ({ readonly status: 'unknown'; readonly attempt: number; readonly since: number } & IntentHistory)
  | ({ readonly status: 'delivered' } & IntentHistory)
  | ({ readonly status: 'parked'; readonly reason: ParkedReason } & IntentHistory)
  | ({ readonly status: 'cancelled' } & IntentHistory);

export type IntentStatus = Exclude<IntentState['status'], 'absent'>;

export const initialIntentState: IntentState = { status: 'absent' };

/** Nothing more will be sent for this intent unless a person says so. */
export function isSettled(state: IntentState): boolean {
  return state.status === 'delivered' || state.status === 'cancelled' || state.status === 'parked';
}
