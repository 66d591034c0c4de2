import type { EventRow } from '../history/lane-history.js';
import type { IntentView, LaneView, Step } from '../lane/lane-view.js';
import type { Finding, Invariant } from './invariant.js';
import { whenItHappened } from './invariant.js';

/**
 * I25: nothing is sent again but after `not-applied`, a proof of absence, a decision that the policy allows, or an
 * operator's word; and proofs and decisions wait until the attempt can no longer take effect.
 */
export const noBlindResend: Invariant = {
  id: 'I25',
  checks:
    'each further begin has its reason between it and the one before; absence, resends and the second read of a probe come inFlightMs after the attempt was lost sight of',
  cannotSee: 'whether a lookup and a listing really said no',
  elsewhere: [
    'libs/domain/src/intent/decide-resolution.unit.spec.ts',
    'libs/delivery/src/engine/delivery-engine.unit.spec.ts',
  ],
  judge: () => ({ lane }),
};

const reasons: readonly string[] = [
  'AttemptNotApplied',
  'VerifiedAbsent',
  'ResendDecided',
  'IntentReplayed',
  'IntentReissued',
  'IntentResolved',
];

function* lane(view: LaneView): Iterable<Finding> {
  for (const intent of view.intents.values()) {
    yield* judgeBegins(view, intent);
    yield* judgeWaits(view, intent);
  }
}

function* judgeBegins(view: LaneView, { steps }: IntentView): Iterable<Finding> {
  let isAllowed = true;
  for (const step of steps) {
    const { type } = step.row.event;
    const isWrong = type === 'AttemptBegun' && (isSettled(step) || (!isAllowed && isBlind(step)));
    if (isWrong) {
      yield whenItHappened(view, step.row, {
        problem: `sent again while ${step.before.status}`,
        rows: begunBefore(steps, step),
      });
    }
    isAllowed = reasons.includes(type) || (isAllowed && !forbids.includes(type));
  }
}

function begunBefore(steps: readonly Step[], { row }: Step): EventRow[] {
  const rows = steps.map((step) => step.row);
  return rows.filter(({ version, event }) => version < row.version && event.type === 'AttemptBegun').slice(-1);
}

const forbids: readonly string[] = ['AttemptBegun', 'AttemptUnknown', 'IntentParked'];

function isSettled({ before: { status } }: Step): boolean {
  return status === 'delivered' || status === 'parked';
}

/** What begins after a cancel, or beside another attempt, is for I26 and I13. */
function isBlind({ before: { status, begun } }: Step): boolean {
  return begun > 0 && status !== 'cancelled' && status !== 'delivering';
}

/** Until `inFlightMs` have passed the attempt may still take effect: whatever is concluded before is a guess. */
function* judgeWaits(view: LaneView, { steps }: IntentView): Iterable<Finding> {
  let read: EventRow | null = null;
  for (const step of steps) {
    const { row, before } = step;
    const since = conclusionSince(step, read);
    if (row.event.type === 'ProbeRead') read = row;
    if (row.event.type === 'AttemptBegun') read = null;
    if (since === null || row.event.at >= since + view.policy.inFlightMs) continue;
    const problem = `${row.event.type} ${row.event.at - since} ms after the attempt was lost sight of`;
    yield whenItHappened(view, row, { problem, rows: [{ unknownAt: before.unknownAt }] });
  }
}

/** From when on the wait for this conclusion counts; null: it needs none. */
function conclusionSince({ row: { event }, before }: Step, read: EventRow | null): number | null {
  if (event.type === 'ResendDecided') return before.unknownAt;
  if (event.type === 'VerifiedAbsent') return event.evidence === 'late-outcome' ? null : before.unknownAt;
  return event.type === 'VerifiedApplied' && event.evidence === 'points' ? (read?.event.at ?? Infinity) : null;
}
