import type { IntentEvent, IntentEventType } from '#domain';

import type { Completion, Step } from './lane-model.js';

/** One compare-and-set of a lease holder, of which lane, and by which request it knows. */
export interface ModelStep extends Step {
  readonly laneId: number;
  readonly requestId: string | null;
}

type Move = Omit<Completion, 'events'>;
type MoveOf = { readonly [T in IntentEventType]?: (event: Extract<IntentEvent, { type: T }>) => Move | null };

const move = (kind: Completion['kind'], dueAt = 0, pass: Completion['pass'] = null): Move => ({ kind, dueAt, pass });

/** What an event means for the lane; what has no line means nothing. */
const moves: MoveOf = {
  AttemptApplied: () => move('settle'),
  VerifiedApplied: () => move('settle'),
  IntentCancelled: () => move('settle'),
  AttemptNotApplied: ({ retryAt }) => move('retry', retryAt),
  AttemptUnknown: ({ checkAt }) => (checkAt === null ? null : move('retry', checkAt)),
  ProbeRead: ({ checkAt }) => move('retry', checkAt),
  WaitingBegan: ({ for: what, recheckAt }) =>
    what === 'pass' ? move('wait', recheckAt, 'absent') : move('await', recheckAt),
  IntentParked: ({ lane }) => move(lane === 'block' ? 'block' : 'settle'),
  PassFound: () => move('stay', 0, 'known'),
};

function moveOf(event: IntentEvent): Move | null {
  return (moves[event.type] as ((event: IntentEvent) => Move | null) | undefined)?.(event) ?? null;
}

/** @param seq of the current intent, whose events they are */
export function completionOf(seq: number, events: readonly IntentEvent[], isPassProof = true): Completion {
  const last = events.map(moveOf).findLast((found) => found !== null) ?? move('stay');
  const isApplied = events.some(
    (event) =>
      event.type === 'AttemptApplied' || (event.type === 'VerifiedApplied' && event.evidence !== 'late-outcome'),
  );
  return {
    ...last,
    ...(isApplied && isPassProof ? { pass: 'known' as const } : {}),
    events: events.map((event) => ({ seq, event })),
  };
}
