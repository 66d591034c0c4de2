import type { IntentEvent } from '../intent/intent-event.js';
import type { Operation } from '../operation.js';

/** What a lane knows about its member's pass. */
export type KnownPass = 'unknown' | 'absent' | 'known';

/** What was known before an event, and what the event's intent asks of the partner; null: it is of no intent. */
export interface PassStanding {
  readonly pass: KnownPass;
  readonly operation: Operation | null;
}

const told: Partial<Record<IntentEvent['type'], KnownPass>> = {
  PassFound: 'known',
  PassAdopted: 'known',
  PassAbsent: 'absent',
  IntentReissued: 'absent',
};

/** What others appended: the lease alone changes what a lane knows, and the next to need the pass asks for it. */
const withoutLease: ReadonlySet<string> = new Set(['late-outcome', 'answer-reread']);

/** What the lane knows after an event. */
export function passAfter({ pass, operation }: PassStanding, event: IntentEvent): KnownPass {
  const isApplied =
    event.type === 'AttemptApplied' || (event.type === 'VerifiedApplied' && !withoutLease.has(event.evidence));
  if (isApplied && operation !== 'schedule-update') return 'known';
  return told[event.type] ?? pass;
}
