import type { PassBefore } from '#domain';

import type { EventToAppend } from '../events/stored-event.js';
import type { PassKnowledge } from './claimed-lane.js';

/**
 * What becomes of the lane's current intent.
 * - `settle`: nothing more to send for it; the lane goes on at once.
 * - `retry`: the same intent again, not before `dueAt`; a waiting lane goes on waiting.
 * - `doubt`: as `retry`, and a waiting lane waits no longer.
 * - `wait`: it waits for the pass until `dueAt`; a recorded enrolment behind it goes first.
 * - `await`: it waits for its purchase until `dueAt`; nothing goes first.
 * - `block`: the lane stops until a person acts.
 * - `stay`: events are appended, the intent stays current. With a begin the lease goes on, else the lane is due at once.
 */
export type StepKind = 'settle' | 'retry' | 'doubt' | 'wait' | 'await' | 'block' | 'stay';

/** An outcome or a decision about the lane's current intent. */
export interface LaneCompletion {
  readonly kind: StepKind;
  /** Epoch ms; only read for `retry`, `doubt`, `wait` and `await`. */
  readonly dueAt: number;
  /** What is now known about the pass; null leaves it. */
  readonly pass: PassKnowledge | null;
  readonly events: readonly EventToAppend[];
}

/** The next attempt, to be begun in the same statement. */
export interface LaneBegin {
  readonly seq: number;
  readonly attempt: number;
  /** What the pass showed right before; null when it was not asked for. */
  readonly before: PassBefore | null;
  readonly leaseUntil: number;
  /** Epoch ms: later than this it is refused, for the request could outlive the lease and must not be sent any more. */
  readonly sendBy: number;
}

/**
 * One compare-and-set on a leased lane: complete what is current, begin the next attempt, or both. It takes effect only
 * where (epoch, current seq, attempt) are as the lease holder knows them; for a begin, and for a completion that tells no
 * answer of the partner, the revision must be, too.
 */
export interface LaneStep {
  /** The member's unwrapped key, for sealing evidence; null when it has been destroyed. */
  readonly key: Uint8Array | null;
  readonly laneId: number;
  readonly epoch: number;
  readonly seq: number;
  readonly attempt: number;
  readonly attemptOpen: boolean;
  readonly revision: number;
  readonly completion: LaneCompletion | null;
  /** The completion tells what the partner answered: it counts whatever others have appended meanwhile. */
  readonly tellsAnswer: boolean;
  readonly begin: LaneBegin | null;
}

/** Neither: somebody else holds the lane now or has appended to it, nothing was written. */
export interface StepResult {
  readonly laneId: number;
  readonly epoch: number;
  readonly completed: boolean;
  readonly begun: boolean;
}
