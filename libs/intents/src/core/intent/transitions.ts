import type { Operation } from '../operation.js';
import type { IntentEvent, IntentEventType } from './intent-event.js';
import type { IntentStatus } from './intent-state.js';

/** What a lane knows about its member's pass. */
export type KnownPass = 'unknown' | 'absent' | 'known';

/**
 * What an event of the lane's current intent means for the lane.
 * - `settle`: nothing more to send for it; the lane continues at once.
 * - `retry`: the same intent again, not before its time; a waiting lane waits on.
 * - `doubt`: as `retry`, and a waiting lane waits no longer.
 * - `wait`: it waits for the pass; a recorded enrolment behind it goes first.
 * - `await`: it waits for its purchase; nothing goes first.
 * - `block`: the lane stops until a person acts.
 * - `stay`: the intent stays current.
 * - `reopen`: another than the lease holder makes it pending again. The lane continues, or comes back to it.
 */
export type LaneMove = 'settle' | 'retry' | 'doubt' | 'wait' | 'await' | 'block' | 'stay' | 'reopen';

/** One row: what one event, or one variant of it, does to its intent, to the lane and to what is derived from both. */
export interface Transition {
  /** Values of the event's own fields for which this row holds; absent: for all that no row above holds for. */
  readonly when?: Readonly<Record<string, string>>;
  /** The intent's status afterwards; absent: the status that it had. */
  readonly status?: IntentStatus;
  /** The usual course of an intent: the lane's row shows it, and the read model `intent_standing` is not written. */
  readonly isShownByLane?: true;
  readonly lane?: LaneMove;
  /** The event's field that says when the lane is due again. Null there: an event that follows decides. */
  readonly dueAt?: 'retryAt' | 'checkAt' | 'recheckAt';
  readonly attempt?: 'begins' | 'ends';
  /** What it shows about the member's pass. */
  readonly pass?: 'known' | 'absent';
  /** Intents by which the count of delivered or cancelled ones changes. */
  readonly counts?: readonly [status: 'delivered' | 'cancelled', intents: 1 | -1];
  /** Only the lease holder appends it: the lane was held then. */
  readonly showsLease?: true;
}

const delivered = { status: 'delivered', lane: 'settle', counts: ['delivered', 1] } as const;
const parked = { status: 'parked', showsLease: true } as const;

/**
 * The one table of what events do (docs/decisions/0014). `evolve`, `rebuildLane`, delivery's completions and the counts of
 * settled intents read it; what the database does by itself is held against it by a test
 * (libs/intents/src/store/events/transition-sql.int.spec.ts). Rows of one event are tried in order.
 */
export const TRANSITIONS: Readonly<Record<IntentEventType, readonly Transition[]>> = {
  IntentRecorded: [{ status: 'pending', isShownByLane: true }],
  WaitingBegan: [
    { when: { for: 'pass' }, status: 'waiting', lane: 'wait', dueAt: 'recheckAt', pass: 'absent', showsLease: true },
    { status: 'waiting', lane: 'await', dueAt: 'recheckAt', showsLease: true },
  ],
  IntentReleased: [{ status: 'pending', lane: 'stay', showsLease: true }],
  AttemptBegun: [{ status: 'delivering', isShownByLane: true, attempt: 'begins', showsLease: true }],
  AttemptApplied: [{ ...delivered, isShownByLane: true, attempt: 'ends', pass: 'known' }],
  // Until the park that follows in the same decision: still open, nothing to send.
  AttemptRejected: [{ status: 'pending', isShownByLane: true, attempt: 'ends' }],
  AttemptNotApplied: [{ status: 'pending', isShownByLane: true, lane: 'retry', dueAt: 'retryAt', attempt: 'ends' }],
  AttemptUnknown: [{ status: 'unknown', lane: 'doubt', dueAt: 'checkAt', attempt: 'ends' }],
  ProbeRead: [{ lane: 'retry', dueAt: 'checkAt' }],
  ResendDecided: [{ status: 'pending', lane: 'stay' }],
  // What others append changes nothing of what the lane knows: the next to need the pass asks for it.
  VerifiedApplied: [
    { when: { evidence: 'late-outcome' }, ...delivered },
    { when: { evidence: 'answer-reread' }, ...delivered },
    { ...delivered, pass: 'known' },
  ],
  VerifiedAbsent: [{ status: 'pending', lane: 'stay' }],
  LateOutcome: [{}],
  // What it forbids the lane's owner learns with the raised revision, or when the lane comes due.
  CancelRequested: [{}],
  // An erasure parks without the lease what may have taken effect; also what blocked the lane until then.
  IntentParked: [
    { when: { reason: 'erased' }, status: 'parked', lane: 'settle' },
    // So does the void that disagrees with it.
    { when: { reason: 'conflict' }, status: 'parked', lane: 'settle' },
    // And the receipt of what had stepped aside for its sale.
    { when: { reason: 'over-refund' }, status: 'parked', lane: 'settle' },
    // And a person's word that the partner does not have it, which alone sends nothing.
    { when: { reason: 'not-delivered' }, status: 'parked', lane: 'settle' },
    { when: { lane: 'block' }, ...parked, lane: 'block' },
    { ...parked, lane: 'settle' },
  ],
  IntentReplayed: [{ status: 'pending', lane: 'reopen' }],
  IntentCorrected: [{}],
  IntentReissued: [{ status: 'pending', lane: 'reopen', pass: 'absent', counts: ['delivered', -1] }],
  IntentResolved: [
    { when: { as: 'delivered' }, ...delivered },
    { status: 'pending', lane: 'reopen' },
  ],
  IntentCancelled: [{ status: 'cancelled', lane: 'settle', counts: ['cancelled', 1] }],
  PassFound: [{ lane: 'stay', pass: 'known', showsLease: true }],
  PassAbsent: [{ pass: 'absent', showsLease: true }],
  PassAdopted: [{ pass: 'known' }],
};

function holdsFor({ when }: Transition, event: Readonly<Record<string, unknown>>): boolean {
  return when === undefined || Object.entries(when).every(([field, value]) => event[field] === value);
}

/** The row of an event. */
export function transitionOf(event: IntentEvent): Transition {
  const found = TRANSITIONS[event.type].find((row) => holdsFor(row, event as unknown as Record<string, unknown>));
  if (found === undefined) throw new Error(`no transition for ${event.type}`);
  return found;
}

/** An operator makes a settled intent pending again: its lane must reach it once more. */
export function isOpenAgain(event: IntentEvent): boolean {
  return transitionOf(event).lane === 'reopen';
}

/**
 * What an event shows about the pass; null: nothing. Whatever took effect for a member proves that the pass exists; a
 * schedule only says that it was accepted.
 * @param operation what the event's intent asks of the partner; null where it is of no intent
 */
export function passShownBy(event: IntentEvent, operation: Operation | null): 'known' | 'absent' | null {
  const { pass = null, status } = transitionOf(event);
  return status === 'delivered' && operation === 'schedule-update' ? null : pass;
}

/** The lease holder's move, and what it then knows of the pass. */
export interface HolderMove {
  readonly kind: Exclude<LaneMove, 'reopen'>;
  /** Epoch ms; 0 where nothing is waited for. */
  readonly dueAt: number;
  /** Null: the events show nothing about it. */
  readonly pass: 'known' | 'absent' | null;
}

/** The lane's move that follows from the events of one decision: the last that means something decides, for the pass, too. */
export function holderMoveOf(operation: Operation, events: readonly IntentEvent[]): HolderMove {
  const move = events.map(moveOf).findLast((each) => each !== null) ?? ({ kind: 'stay', dueAt: 0 } as const);
  const pass = events.map((event) => passShownBy(event, operation)).findLast((each) => each !== null);
  return { ...move, pass: pass ?? null };
}

/** Null where the event moves nothing, or another event of the same decision does. */
function moveOf(event: IntentEvent): Pick<HolderMove, 'kind' | 'dueAt'> | null {
  const { lane, dueAt: field } = transitionOf(event);
  if (lane === undefined || lane === 'reopen') return null;
  if (field === undefined) return { kind: lane, dueAt: 0 };
  const dueAt = (event as unknown as Readonly<Record<string, number | null>>)[field] ?? null;
  return dueAt === null ? null : { kind: lane, dueAt };
}
