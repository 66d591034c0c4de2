import type { Operation } from '#domain';

interface RowOfMember {
  readonly lane_id: number;
  readonly version: number;
  readonly at: number;
  readonly data: Record<string, unknown> | null;
  /** Evidence that may hold a pass; null for all others. */
  readonly sealed: Buffer | null;
  readonly program_id: string;
  readonly member_id: string;
  /** Null when the member's key has been destroyed. */
  readonly wrapped_key: Buffer | null;
  /** Start of the last recovery before it: versions of a lost history are given out again. Null: there was none. */
  readonly history: number | null;
  /** Everything up to here is erased or is about to be; 0: nothing. */
  readonly erased_seq: number;
}

interface RowOfIntent extends RowOfMember {
  readonly seq: number;
  readonly type: 'AttemptApplied' | 'VerifiedApplied' | 'IntentResolved' | 'IntentParked' | 'LateOutcome' | 'PassFound';
  readonly operation: Operation;
  readonly purchase_id: string | null;
  readonly topic: string;
  readonly partition: number;
  readonly kafka_offset: number;
}

/** What has happened to the lane itself. */
interface RowOfLane extends RowOfMember {
  readonly seq: 0;
  readonly type: 'PassAdopted';
}

/** An event that somebody outside may want to know, with what tells whose it is. */
export type OutcomeRow = RowOfIntent | RowOfLane;
