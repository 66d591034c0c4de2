import type { IntentEvent } from './intent-event.js';

/** A person's word makes a settled intent pending again: its lane has to come to it once more. */
export function isOpenAgain(event: IntentEvent): boolean {
  if (event.type === 'IntentReplayed' || event.type === 'IntentReissued') return true;
  return event.type === 'IntentResolved' && event.as === 'not-delivered';
}
