import type { IntentState, LaneCursor, Operation, PartnerCommand, PurchaseStanding } from '#domain';

/** What a lane knows about its member's pass. */
export type PassKnowledge = 'unknown' | 'absent' | 'known';

/** An intent of a claimed lane, opened and folded: ready to be decided on. */
export interface ClaimedIntent {
  readonly seq: number;
  readonly operation: Operation;
  readonly command: PartnerCommand | null;
  readonly state: IntentState;
  readonly recordedAt: number;
  /** Broker timestamp of the source record, epoch ms: start of the delivery latency. */
  readonly brokerAt: number;
  /** The purchase that a refund goes after, and how far it was when the lane was claimed; null when it waits for none. */
  readonly waitsFor: { readonly seq: number; readonly standing: PurchaseStanding } | null;
  /**
   * How long before the pass was read for the attempt in doubt another call of the lane had ended, ms: the partner may
   * not have shown its effect yet. Absent where nothing was read, or nothing else was called.
   */
  readonly calmMs?: number;
  /**
   * The start of a recovery, epoch ms: a history that ended before it and is lost may have sent this intent. Absent where
   * there was none (docs/restore.md).
   */
  readonly forgottenBefore?: number;
  /** A word that the member has left, with nothing before it in the lane that may have made a pass. Absent otherwise. */
  readonly leavesUnissued?: true;
  /** W3C context of the trace that it was recorded in; absent where there is none. */
  readonly traceparent?: string;
}

/** A lane under our lease. `epoch` is the fencing token, `revision` what others' appends raise. */
export interface ClaimedLane {
  readonly laneId: number;
  readonly program: string;
  readonly memberId: string;
  /** The member's unwrapped data key; null when it has been destroyed. Held as long as the lane. */
  readonly key: Uint8Array | null;
  readonly epoch: number;
  readonly revision: number;
  readonly cursor: LaneCursor;
  /** Attempts of the current intent so far, as the lane row says. */
  readonly attempt: number;
  /** A worker before us began this attempt and recorded no outcome. */
  readonly attemptOpen: boolean;
  readonly openSince: number | null;
  readonly pass: PassKnowledge;
  readonly leaseUntil: number;
  /** When the lease began, epoch ms; absent in tests. */
  readonly claimedAt?: number;
  /** The next intents of the lane by seq, the current one included unless the lane is empty. */
  readonly intents: ReadonlyMap<number, ClaimedIntent>;
}
