import type { IntentEvent } from '../intent/intent-event.js';
import type { Operation } from '../operation.js';
import type { LaneCursor } from './lane-cursor.js';
import type { KnownPass } from './pass-after.js';

/** One line of a lane's history, in version order. */
export type LaneFact =
  | { readonly kind: 'recorded'; readonly seq: number; readonly operation: Operation; readonly at: number }
  | { readonly kind: 'happened'; readonly seq: number; readonly epoch: number; readonly event: IntentEvent }
  /** Told of an intent that has left the truth: what it came to is settled. */
  | { readonly kind: 'late'; readonly seq: number };

/** Where a lane goes on whose oldest facts have left the truth. */
export interface LaneStart {
  /** As it stood then. */
  readonly lane: RebuiltLane;
  /** What it had taken in by then and is still there: of intents that have not left. In version order. */
  readonly kept: Iterable<LaneFact>;
}

/** What a lane's row holds besides its lease and its fencing counters. */
export interface RebuiltLane {
  readonly cursor: LaneCursor;
  readonly state: 'live' | 'waiting' | 'blocked';
  readonly pass: KnownPass;
  readonly version: number;
  /** Attempts of the current intent. */
  readonly attempt: number;
  readonly openSince: number | null;
  readonly issueSeq: number | null;
  /** The highest epoch of its history: a rebuilt lane must begin above it. */
  readonly epoch: number;
}
