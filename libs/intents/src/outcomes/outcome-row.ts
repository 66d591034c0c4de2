import type { Operation } from '#domain';

/** An event of an intent that somebody outside may want to know, with what tells whose it is. */
export interface OutcomeRow {
  readonly lane_id: number;
  readonly seq: number;
  readonly version: number;
  readonly type: 'AttemptApplied' | 'VerifiedApplied' | 'IntentResolved' | 'IntentParked' | 'LateOutcome' | 'PassFound';
  readonly at: number;
  readonly data: Record<string, unknown> | null;
  /** Evidence that may hold a pass; null for all others. */
  readonly sealed: Buffer | null;
  readonly operation: Operation;
  readonly purchase_id: string | null;
  readonly topic: string;
  readonly partition: number;
  readonly kafka_offset: number;
  readonly program_id: string;
  readonly member_id: string;
  /** Null when the member's key has been destroyed. */
  readonly wrapped_key: Buffer | null;
  /** Everything up to here is erased or is about to be. */
  readonly erased_seq: number;
}
