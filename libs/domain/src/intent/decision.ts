import type { IntentEvent } from './intent-event.js';

/** Why a command changed nothing. */
export type IgnoredCommandReason =
  | 'already-recorded'
  | 'already-settled'
  | 'erased'
  | 'in-doubt'
  | 'in-flight'
  | 'not-begun'
  | 'not-delivered'
  | 'not-parked'
  | 'not-recorded'
  | 'not-unknown'
  | 'not-waiting'
  | 'other-attempt'
  | 'still-unknown'
  | 'still-waiting'
  | 'waiting-for-pass';

/** Result of `decide`: facts to append, or nothing to do and why. */
export type Decision =
  | { readonly kind: 'events'; readonly events: readonly IntentEvent[] }
  | { readonly kind: 'ignored'; readonly reason: IgnoredCommandReason };

export function happened(...events: readonly IntentEvent[]): Decision {
  return { kind: 'events', events };
}

export function ignored(reason: IgnoredCommandReason): Decision {
  return { kind: 'ignored', reason };
}
