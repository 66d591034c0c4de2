import type { Operation } from '../operation.js';
import type { Resolution } from '../resolution/resolution.js';
import type { ParkedLane } from './intent-event.js';

/** The part of a program that decides about one operation's attempts. Times in milliseconds. */
export interface DeliveryPolicy {
  readonly retries: { readonly maxAttempts: number; readonly maxAgeMs: number };
  readonly missingPassWaitMs: number;
  readonly inFlightMs: number;
  readonly onPark: ParkedLane;
  readonly resolution: Resolution;
  /** By how much the intent moves the pass's points; null where nobody knows. */
  readonly pointsDelta: number | null;
  readonly operation: Operation;
}
