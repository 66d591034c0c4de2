import type { AttemptOutcome, RejectionCode } from '../delivery/classify-outcome.js';
import type { IdentityPlace } from '../identity/judge-identities.js';

/** Why a person must look (contracts.md section 5). */
export type ParkedReason =
  | 'rejected'
  | 'exhausted'
  | 'unknown-outcome'
  | 'missing-pass'
  /** A change of a pass whose member has never enrolled. */
  | 'not-a-member'
  /** A refund whose purchase is parked, was cancelled, or did not get through in time. */
  | 'missing-purchase'
  /** A refund of more than is left of its receipt. */
  | 'over-refund'
  /** It was good for so long only, and was not sent by then. */
  | 'expired'
  /** Something narrow is held (a reward, a store), and it stepped aside: it comes back by itself when that is held no more. */
  | 'held'
  | 'unroutable'
  /** A void or revocation came before it, and names another member or total. */
  | 'conflict'
  | 'merged'
  /** What a card held that is gone, in whose place another one was made. */
  | 'card-replaced'
  /** A person has said that the partner does not have it, and sends it later, or never. */
  | 'not-delivered'
  | 'erased';

/** What an intent waits for before it may be sent. */
export type WaitsFor = 'pass' | 'purchase';

/** Whether a parked intent holds its lane or lets it go on (`onPark` in the programs file). */
export type ParkedLane = 'block' | 'continue';

/**
 * What the pass showed right before an attempt, for telling afterwards whether the attempt took effect: its points, or
 * that every path to be changed could be read and differed. Nothing personal.
 */
export interface PassBefore {
  readonly points?: number;
  readonly differs?: boolean;
  /** When it was read, epoch ms: what another call of the lane did right before that may not have been shown yet. */
  readonly readAt?: number;
}

/** Why an attempt may be sent again although the outcome of the one before is unknown. */
export type ResendBasis =
  /** The partner refuses a second transaction with the same value. */
  | 'unique-attribute'
  /** The programs file says so: at least once. */
  | 'policy';

interface At {
  /** Epoch milliseconds by the database's clock. */
  readonly at: number;
}

interface OfAttempt extends At {
  /** 1 for the first attempt of the intent. */
  readonly attempt: number;
}

/** Where a source record lay. */
export interface RecordPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** When it happened, by its own word, epoch ms. */
  readonly timeMs?: number;
}

interface ByOperator extends At {
  readonly by: string;
  readonly reason: string;
}

/** Everything that can have happened to an intent (design.md section 3). Past tense, never changed, never removed. */
export type IntentEvent =
  | ({ readonly type: 'IntentRecorded' } & At)
  | ({ readonly type: 'WaitingBegan'; readonly for: WaitsFor; readonly recheckAt: number } & At)
  | ({ readonly type: 'IntentReleased' } & At)
  | ({ readonly type: 'AttemptBegun'; readonly before?: PassBefore } & OfAttempt)
  | ({ readonly type: 'AttemptApplied' } & OfAttempt)
  | ({ readonly type: 'AttemptRejected'; readonly code: RejectionCode; readonly fingerprint?: string } & OfAttempt)
  | ({
      readonly type: 'AttemptNotApplied';
      readonly code: string;
      /** Whether the partner answered: only then the attempt counts against `retries`. */
      readonly answered: boolean;
      readonly retryAt: number;
    } & OfAttempt)
  | ({
      readonly type: 'AttemptUnknown';
      readonly code: string;
      /** When evidence is looked for, or the intent sent again; null where it parks. */
      readonly checkAt: number | null;
      /** Of an attempt in a history that was lost: when the last call can have been begun in it. Absent: at the event. */
      readonly endedBy?: number;
    } & OfAttempt)
  | ({ readonly type: 'ProbeRead'; readonly points: number; readonly checkAt: number } & OfAttempt)
  | ({ readonly type: 'ResendDecided'; readonly basis: ResendBasis } & OfAttempt)
  | ({ readonly type: 'VerifiedApplied'; readonly evidence: string } & OfAttempt)
  | ({ readonly type: 'VerifiedAbsent'; readonly evidence: string } & OfAttempt)
  | ({ readonly type: 'LateOutcome'; readonly outcome: AttemptOutcome['kind']; readonly code: string } & OfAttempt)
  | ({
      readonly type: 'IntentParked';
      readonly reason: ParkedReason;
      readonly lane: ParkedLane;
      /** The void or revocation because of which a person must look. */
      readonly cause?: RecordPosition;
      /** The parked purchase or grant that it goes after: with that it comes back. */
      readonly awaits?: IdentityPlace;
      /** Of a sale that somebody claims: how much of it had come back without a card. What it says is what was left. */
      readonly cameBack?: string;
      /** Of a void of a whole sale: it goes by itself, of what is left, once all else of the receipt is settled. */
      readonly takesRest?: true;
      /** What the calls that are held have in common, such as `reward:9002`. Only of what stepped aside for that itself. */
      readonly heldBy?: string;
      /** Where it lies among what is held (`deferredRange`), epoch ms: no time at which anything happens. */
      readonly heldUntil?: number;
    } & At)
  | ({ readonly type: 'IntentReplayed'; readonly overtaken: number } & ByOperator)
  /**
   * `amount`: of a transaction, from now on, without a sign: what counts for its receipt. Whether it gives or takes is as its event
   * says. Absent: it stays.
   */
  | ({ readonly type: 'IntentCorrected'; readonly amount?: string } & ByOperator)
  /**
   * The pass of a delivered enrolment is gone at the partner, as the lookup and the count of a job have shown, or as the lane
   * has learned: it is issued again, unless it is found before that is sent.
   */
  | ({ readonly type: 'IntentReissued'; readonly overtaken: number; readonly job?: string } & ByOperator)
  | ({ readonly type: 'IntentResolved'; readonly as: 'delivered' | 'not-delivered' } & ByOperator)
  /**
   * A void or revocation of what is under way or in doubt: it is never sent again, whatever the policy says, and cancelled
   * as soon as nothing of it can have taken effect.
   */
  | ({ readonly type: 'CancelRequested'; readonly cause: RecordPosition } & ByOperator)
  /** `cause`: the void or revocation that asked for it; absent where somebody else did. */
  | ({ readonly type: 'IntentCancelled'; readonly cause?: RecordPosition } & ByOperator)
  | ({ readonly type: 'PassFound' } & At)
  | ({ readonly type: 'PassAbsent' } & At)
  /** The partner's listing shows a pass that we did not know. Of the lane itself: its seq is 0, the seq of no intent. */
  | ({ readonly type: 'PassAdopted'; readonly job: string } & At);

export type IntentEventType = IntentEvent['type'];
