import type { Program } from '#contracts';
import type { AttemptOutcome, IntentEvent, Operation } from '#intents/core';

/**
 * Everything that is known of a run, as plain data: what went in, what the truth tables, the lanes and the partner's own
 * ledger say at the end, and what was seen meanwhile. Times are epoch milliseconds, virtual or real.
 */
export interface History {
  readonly run: RunHistory;
  /** Each lane once, in any order. Looked at one by one, so that a reader may load them as they are asked for. */
  readonly lanes: Iterable<LaneHistory>;
}

/** One lane: its row, its truth, and what the partner has of its member. */
export interface LaneHistory {
  readonly lane: LaneRow;
  /** Rows of `intent`. */
  readonly intents: readonly IntentRow[];
  /** Rows of `intent_event`. */
  readonly events: readonly EventRow[];
  /** The member's entries of the partner's ledger, in ledger order. */
  readonly effects: readonly Effect[];
  /** What other systems are known to have done to the member's passes: not among `effects`. Absent: nothing. */
  readonly others?: readonly Effect[];
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
  /** Of an event whose record tells several: which one, from 1. Tables do not tell it: an intent's is that of its event. */
  readonly ordinal?: number;
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
  /** The business key of the purchase that it goes after, where that is no earlier intent of its lane; absent or null: none. */
  readonly waitsForKey?: string | null;
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
  /** Epoch ms from which nobody may send it any more; null: it is good for ever. */
  readonly goodUntil: number | null;
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

/** An entry of the partner's own ledger (contracts.md section 9): something that really took effect. */
export interface Effect {
  /** Rises in the order in which effects took effect. */
  readonly seq: number;
  /** The ledger's name; for what we ask it is the operation's. */
  readonly operation: string;
  readonly program: string;
  readonly uniqueId: string | null;
  readonly key: string | null;
  readonly target: string | null;
  /** As `AskedEffect.content`. */
  readonly content: string | null;
  readonly arrivedAt: number;
  readonly appliedAt: number;
  readonly requestId: string | null;
  /** Of the pass it was about; absent: nobody knows. */
  readonly passId?: number | null;
}

/** A request that reached the partner, whatever became of it. */
export interface PartnerRequest {
  /** An operation, or `lookup`, `list`, `token`. */
  readonly operation: string;
  /** Null where the request names none (a token). */
  readonly program: string | null;
  readonly uniqueId: string | null;
  readonly key: string | null;
  readonly target: string | null;
  readonly content: string | null;
  readonly arrivedAt: number;
  /** When the answer left, or the connection broke; null: never. */
  readonly endedAt: number | null;
  /** When the answer reached who had asked; null: it never did. Absent: nobody knows. */
  readonly heardAt?: number | null;
  /** Null: there was no answer. */
  readonly status: number | null;
  /** Of the answer; null: it named none. */
  readonly retryAfterMs: number | null;
  /** It was answered a success that shows no effect of it, or somebody else's pass, whatever became of it. */
  readonly isFeigned?: boolean;
  /** It was answered a success that shows something else than it asked, whatever became of it. */
  readonly isOtherwise?: boolean;
  /** It was refused as duplicate of something that failed: nothing is there. */
  readonly isOfFailed?: boolean;
  readonly requestId: string | null;
}

/** What belongs to no single lane. */
export interface RunHistory {
  readonly programs: Readonly<Record<string, ProgramPolicy>>;
  /** Every record in the source topics. */
  readonly log: readonly LogRecord[];
  readonly dedup: readonly DedupRow[];
  readonly quarantine: readonly QuarantineRow[];
  /** Stored offsets as they were seen, in the order of seeing; the last of a partition is how it ended. */
  readonly offsets: readonly OffsetSample[];
  /** Ledger entries of members that have no lane. */
  readonly unattributedEffects: readonly Effect[];
  readonly notes: RunNotes;
  /** All requests in the order of their arrival, lookups and tokens too; absent where nobody noted them. */
  readonly requests?: readonly PartnerRequest[];
  /** What processes that lived on had heard from the partner; absent where nobody noted it. */
  readonly answers?: readonly HeardAnswer[];
  /** What a listener to the outcomes topic heard, in order per member; absent where nobody listened. */
  readonly outcomes?: readonly HeardOutcome[];
  /** Everything that can be read in the clear: table columns, log lines, metrics. */
  readonly clearTexts?: Iterable<ClearText>;
  /** Values that must not be readable anywhere: personal values of the traffic, secrets, tokens. */
  readonly secrets?: readonly string[];
}

/** What the programs file says, as far as a history can break it. The same during the whole run. */
export type ProgramPolicy = Pick<
  Program,
  | 'retries'
  | 'inFlightMs'
  | 'missingPass'
  | 'missingPurchase'
  | 'onUnknown'
  | 'onPark'
  | 'limits'
  | 'refundUnknown'
  | 'rewards'
>;

/** A record of a source topic. */
export interface LogRecord extends SourcePlace {
  /** The producer was told that it is stored. */
  readonly isAcknowledged: boolean;
  /** The program and member that the event is about; null: it names none that can be read. */
  readonly program: string | null;
  readonly memberId: string | null;
  /** The event's identity as it would stand in `dedup`; null: it has none (unreadable, a tombstone). */
  readonly eventKey: string | null;
  /** The business key as it would stand in `dedup`; null: it has none. */
  readonly businessKey: string | null;
  /**
   * What a record with an identity not seen before must become. `anything`: an intent, a quarantine row or a no-op that
   * left its identity (a void, an update that may be stale). `nothing`: it may vanish without a trace (a tombstone).
   */
  readonly owes: 'intent' | 'quarantine' | 'anything' | 'nothing';
  /** Of an enrolment: when it happened, epoch ms, at the latest when it was written. */
  readonly enrolledAt?: number;
  /** Of a merge, or of what takes one back: members who live on, or lived on, in this one. */
  readonly absorbs?: readonly string[];
  /** Another number that it is known by, as a business key: a return's of all systems that tell of it. */
  readonly aliasKey?: string;
  /** The receipt (as its business key) that a sale without a card tells, or that a return takes back from. */
  readonly nobodysReceipt?: string;
  readonly ofReceipt?: string;
  /** Of what erases its member: when that was, epoch ms. An enrolment from before it brings nobody back. */
  readonly erasedAt?: number;
}

/** A row of `dedup`. */
export interface DedupRow {
  readonly key: string;
  readonly kind: 'event' | 'business' | 'mark';
  readonly laneId: number | null;
  readonly seq: number | null;
}

/** A row of `quarantine`. */
export interface QuarantineRow extends SourcePlace {
  readonly reason: string;
}

/** A row of `kafka_offset`, seen at some time. */
export interface OffsetSample {
  readonly takenAt: number;
  readonly topic: string;
  readonly incarnation: number;
  readonly partition: number;
  readonly nextOffset: number;
}

/** A process that did not die was told this about its attempt. */
export interface HeardAnswer {
  readonly laneId: number;
  readonly seq: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly outcome: AttemptOutcome['kind'];
}

export interface HeardOutcome {
  readonly id: string;
  readonly name: string;
  readonly program: string;
  readonly memberId: string;
  /** Null for a pass. */
  readonly seq: number | null;
  /** Which pass is told; absent or null: none, or nobody knows. */
  readonly passId?: number | null;
}

export interface ClearText {
  /** Where it stands: `intent_event.data of lane 7`, `log of daemon 2`. */
  readonly where: string;
  readonly text: string;
}

/** What whoever made the run knows about it. */
export interface RunNotes {
  /** The faults had ended and everything had time to come to rest. */
  readonly isAtRest: boolean;
  /** Every daemon was told to stop and did. */
  readonly isStopped: boolean;
  /** Lanes were recreated meanwhile: everything unsettled was due at once. */
  readonly wasRebuilt: boolean;
  /** By how much the partner's clock and ours may differ. */
  readonly clockToleranceMs: number;
  /** How often replicas tell each other what they know. By default half a second, as in the product. */
  readonly reportMs?: number;
  readonly replicas: number;
  readonly partner: PartnerNotes;
  /** How often each fault struck; only told, never judged. */
  readonly faults: Readonly<Record<string, number>>;
}

export interface PartnerNotes {
  /** It refuses a second use of a unique value and a second pass of a member, always. */
  readonly enforcesUniqueness: boolean;
  /** Others than we give points to passes, change them or issue them. */
  readonly othersWrite: boolean;
  /** Others than we use values of unique attributes that we use, too: a duplicate may be of theirs. */
  readonly othersUseOurValues: boolean;
  /** Members had passes before the run. */
  readonly hadPasses: boolean;
}
