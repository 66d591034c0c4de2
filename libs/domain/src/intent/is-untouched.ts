import type { IntentState } from './intent-state.js';

/**
 * Nothing of it can have taken effect: never sent, or every attempt turned out not to be applied, by the partner's answer,
 * by evidence or by a person's word. Only then an event may take it back or say it anew.
 */
export function isUntouched(state: IntentState): boolean {
  const isOpen = state.status === 'pending' || state.status === 'waiting' || state.status === 'parked';
  return isOpen && state.doubts.length === 0 && state.lateApplied === null;
}
