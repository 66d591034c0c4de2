import type { IntentEvent, IntentState } from '#domain';
import { evolve, initialIntentState } from '#domain';

import type { ArchivedIntent } from './find-archived.js';

/** What is known of how an intent came to its end once its facts have left. */
export function endingEvents({
  isCancelled,
  archivedAt: at,
}: Pick<ArchivedIntent, 'isCancelled' | 'archivedAt'>): IntentEvent[] {
  if (isCancelled) return [{ type: 'IntentCancelled', at, by: 'source-event', reason: 'archived' }];
  return [
    { type: 'AttemptBegun', at, attempt: 1 },
    { type: 'AttemptApplied', at, attempt: 1 },
  ];
}

/** The state of an intent that has left the truth: delivered or cancelled, nothing can change it any more. */
export function endedState(archived: Pick<ArchivedIntent, 'isCancelled' | 'archivedAt'>): IntentState {
  const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: archived.archivedAt });
  return endingEvents(archived).reduce(evolve, recorded);
}
