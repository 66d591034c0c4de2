import type {
  AttemptOutcome,
  AttemptPhase,
  IssueCommand,
  PassReference,
  RewardCommand,
  TransactionCommand,
  WorkflowCommand,
} from '#domain';
import type { WalletPass } from '#contracts';

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
  /** The parsed answer when `outcome` is `applied`; `null` also when a documented field was mistyped. */
  readonly value: Value | null;
  /** Documented fields that were missing or mistyped: raises an alarm, never changes the outcome. */
  readonly shapeAlarms: readonly string[];
}

/** Result of asking for a member's pass (partner-api.md 4.1). */
export type LookupReport =
  | { readonly kind: 'found'; readonly pass: WalletPass; readonly evidence: LookupEvidence }
  | { readonly kind: 'absent'; readonly evidence: LookupEvidence }
  | { readonly kind: 'failed'; readonly code: string; readonly retryAfterMs: number | null; readonly evidence: LookupEvidence };

export interface LookupEvidence {
  readonly request: RequestEvidence;
  readonly response: ResponseEvidence | null;
  readonly durationMs: number;
}

export interface CallOptions {
  /** From handing the request over to the last byte of the answer. */
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
  findPass(reference: PassReference, options: CallOptions): Promise<LookupReport>;
  issue(command: IssueCommand, options: CallOptions): Promise<AttemptReport<WalletPass>>;
  runWorkflow(command: WorkflowCommand, options: CallOptions): Promise<AttemptReport<WalletPass>>;
  createTransaction(command: TransactionCommand, options: CallOptions): Promise<AttemptReport<unknown>>;
  applyReward(command: RewardCommand, options: CallOptions): Promise<AttemptReport<WalletPass>>;
}
