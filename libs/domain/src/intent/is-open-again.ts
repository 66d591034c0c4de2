import type { IntentEvent } from './intent-event.js';

/** A person's word makes a parked intent pending again: its lane has to come to it once more. */
export function isOpenAgain(event: IntentEvent): boolean {
  return event.type === 'IntentReplayed' || (event.type === 'IntentResolved' && event.as === 'not-delivered');
}
