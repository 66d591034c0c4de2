import type { IntentState } from '#domain';

/** Nothing of it can have taken effect: never sent, or every attempt was proven not to be applied. */
export function isUntouched(state: IntentState): boolean {
  const isOpen = state.status === 'pending' || state.status === 'waiting' || state.status === 'parked';
  return isOpen && !state.hadUnknown;
}
