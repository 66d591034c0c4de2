import type {
  AttemptOutcome,
  AttemptPhase,
  IssueCommand,
  PassReference,
  RewardCommand,
  TransactionCommand,
  WorkflowCommand,
} from '#domain';
import type { PartnerTransaction, WalletPass } from '#contracts';

/** Injection token of the one port to the partner. */
export const PARTNER = Symbol('Partner');

/** What was sent, kept as evidence with the attempt. Holds personal values: store it encrypted only. */
export interface RequestEvidence {
  readonly method: string;
  /** Path and query, without the base address. */
  readonly path: string;
  readonly body: string | null;
}

/** What came back, kept as evidence. `body` is cut at `evidenceBodyBytesMax`. Holds personal values. */
export interface ResponseEvidence {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly truncated: boolean;
}

/** One call to the partner, whatever came of it. Never thrown: the caller decides by `outcome`. */
export interface AttemptReport<Value> {
  readonly outcome: AttemptOutcome;
  readonly phase: AttemptPhase;
  readonly durationMs: number;
  readonly request: RequestEvidence;
  readonly response: ResponseEvidence | null;
  /** The parsed answer when `outcome` is `applied` and there was one; mistyped documented fields are left out. */
  readonly value: Value | null;
  /**
   * Paths of documented fields that were missing or mistyped, `request.amount` when our own request could not be
   * written. Never a value. Raises an alarm, never changes the outcome.
   */
  readonly shapeAlarms: readonly string[];
}

/** Which pass is asked for; without `by` the pass is found by `unique_id` = `uniqueId`. */
export interface PassLookup extends PassReference {
  /** Another parameter of 4.1, where the program's `lookup.by` says so and its value is known. */
  readonly by?: { readonly parameter: 'email' | 'person_id'; readonly value: string };
}

/**
 * Result of asking for a member's pass (partner-api.md 4.1). `found`: the pass carries our id in its metaData, or has
 * no metaData and the dialect trusts that. `absent`: a refusal that fits the dialect. `failed` is everything else:
 * `code` is that of an attempt's outcome (`timeout`, `http-503`, `unauthorized`, `no-token`, `refused`, ...), or
 * `foreign-pass` (its metaData carries another id) or `not-a-pass` (an answer without pass id and serial number).
 */
export type LookupReport =
  | {
      readonly kind: 'found';
      readonly pass: WalletPass;
      readonly shapeAlarms: readonly string[];
      readonly evidence: LookupEvidence;
    }
  | { readonly kind: 'absent'; readonly evidence: LookupEvidence }
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly retryAfterMs: number | null;
      readonly evidence: LookupEvidence;
    };

export interface LookupEvidence {
  readonly request: RequestEvidence;
  readonly response: ResponseEvidence | null;
  readonly durationMs: number;
}

export interface CallOptions {
  /** From the call to the last byte of the answer; waiting for a token or a connection and the repeat included. */
  readonly timeoutMs: number;
  /** Aborting before the socket has the request gives `not-applied`; afterwards `unknown`. */
  readonly signal?: AbortSignal;
}

/**
 * The partner's Wallet Card API as this service uses it. Methods resolve with a report for every answer, error and
 * timeout; they reject only for a programming error. No method ever sends twice, except once after a 401 with a
 * fresh token: a 401 is a definite refusal (partner-api.md sections 5 and 7).
 */
export interface Partner {
  findPass(lookup: PassLookup, options: CallOptions): Promise<LookupReport>;
  issue(command: IssueCommand, options: CallOptions): Promise<AttemptReport<WalletPass>>;
  runWorkflow(command: WorkflowCommand, options: CallOptions): Promise<AttemptReport<WalletPass>>;
  createTransaction(command: TransactionCommand, options: CallOptions): Promise<AttemptReport<PartnerTransaction>>;
  applyReward(command: RewardCommand, options: CallOptions): Promise<AttemptReport<WalletPass>>;
}
