import type { IntentEvent, Operation } from '#domain';

import type { Effect, PartnerRequest } from './partner-history.js';

/** One lane: its row, its truth, and what the partner has of its member. */
export interface LaneHistory {
  readonly lane: LaneRow;
  /** Rows of `intent`. */
  readonly intents: readonly IntentRow[];
  /** Rows of `intent_event`. */
  readonly events: readonly EventRow[];
  /** The member's entries of the partner's ledger, in ledger order. */
  readonly effects: readonly Effect[];
  /** The member's requests as the partner saw them come, in that order; absent where nobody noted them. */
  readonly requests?: readonly PartnerRequest[];
  /** Every pass that the member ever had at the partner; absent where nobody knows. */
  readonly passIds?: readonly number[];
  /** The lane as it was seen meanwhile, in the order of seeing. */
  readonly samples?: readonly LaneSample[];
}

/** A row of `lane` with its member's names. */
export interface LaneRow {
  readonly laneId: number;
  readonly program: string;
  readonly memberId: string;
  readonly dueAt: number | null;
  readonly epoch: number;
  readonly version: number;
  readonly head: number;
  readonly tail: number;
  readonly current: number;
  readonly attempt: number;
  readonly attemptOpen: boolean;
  readonly openSince: number | null;
  readonly redo: readonly number[];
  readonly ahead: readonly number[];
  readonly issueSeq: number | null;
  readonly pass: 'unknown' | 'absent' | 'known';
  readonly state: 'live' | 'waiting' | 'blocked';
  readonly owner: string | null;
  /** What can be read of its intents begins after it: the member was erased. 0 or absent: nothing was. */
  readonly erasedSeq?: number;
}

/** Where a record lies in Kafka. */
export interface SourcePlace {
  readonly topic: string;
  /** 1 unless the topic was created anew. */
  readonly incarnation: number;
  readonly partition: number;
  readonly offset: number;
}

/** A row of `intent`. */
export interface IntentRow extends SourcePlace {
  readonly seq: number;
  readonly version: number;
  readonly operation: Operation;
  /** The source event's identity, as text. */
  readonly dedupKey: string;
  /** The seq of the purchase that a refund goes after. */
  readonly waitsFor: number | null;
  readonly recordedAt: number;
  /** What it is to ask of the partner; null: it was born parked, or cannot be read any more. */
  readonly asks: AskedEffect | null;
  /** The transaction that wrote the row; absent where nobody knows. */
  readonly transaction?: string;
  /** Rises with every row written; absent where nobody knows. */
  readonly position?: number;
  /** An operator put the record back in: it keeps no source order. */
  readonly isResubmitted?: boolean;
}

/** A row of `intent_event`. */
export interface EventRow {
  readonly seq: number;
  readonly version: number;
  readonly epoch: number;
  readonly event: IntentEvent;
  /** What a correction asks from now on. */
  readonly asks?: AskedEffect | null;
  /** When its transaction was committed; absent where nobody knows. */
  readonly committedAt?: number;
  /** The id of the request that the answer belongs to; absent or null where nobody knows. */
  readonly requestId?: string | null;
}

/** What one request is to do at the partner, as far as an effect can be recognised by it. */
export interface AskedEffect {
  readonly operation: Operation;
  /** The value of the unique attribute; null: none is mapped. */
  readonly key: string | null;
  /** The programs file claims that the partner takes the value only once. */
  readonly isEnforced: boolean;
  /** Workflow, transaction type or reward; null for a direct issue. */
  readonly target: string | null;
  /** What else tells effects of one target apart, as canonical text; null: nothing does, or nobody compares it. */
  readonly content: string | null;
  readonly pointsDelta: number | null;
}

/** A lane seen in the middle of a run. */
export interface LaneSample {
  readonly takenAt: number;
  readonly version: number;
  readonly epoch: number;
  readonly head: number;
  /** `truthDigest` of the rows up to that version. */
  readonly digest: string;
}
