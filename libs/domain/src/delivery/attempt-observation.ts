import type { AttemptPhase } from './attempt-outcome.js';

/**
 * Why no complete answer was read. The first group can only happen before the request was handed to a socket, the
 * second only after; `aborted` and `timeout` happen in both, told apart by the phase.
 */
export type TransportErrorKind =
  | 'dns-failure'
  | 'connection-refused'
  | 'connect-timeout'
  | 'tls-failure'
  | 'connection-failed'
  | 'no-token'
  | 'unsendable'
  | 'aborted'
  | 'timeout'
  | 'reset'
  | 'truncated'
  | 'malformed'
  | 'response-too-large';

/** What the body of an answer was. `truncated`: the connection ended before the answer was complete. */
export type BodyKind = 'complete-json-object' | 'other-json' | 'empty' | 'truncated' | 'not-json';

/**
 * What an answer with a success status must show to count as applied (`success.proof`). `documented`: what
 * partner-api.md documents for the operation. `object`: any JSON object. `any`: JSON of whatever kind, or no body at all;
 * what is no JSON never counts.
 */
export type ProofNeeded = 'documented' | 'object' | 'any';

/**
 * What the answer shows of the effect that was asked for. `documented`: the proof that partner-api.md documents.
 * `foreign-pass`: a pass whose metaData names another member, which speaks against it. `none`: neither.
 */
export type ProofShown = 'documented' | 'foreign-pass' | 'none';

/**
 * What the dialect says about this answer, computed by the gateway so that the domain needs no pattern and no name of
 * the partner's: everything that partner-api.md does not show is a setting (contracts.md section 6).
 */
export interface DialectFacts {
  /** The status is among the accepted success statuses. */
  readonly isSuccessStatus: boolean;
  readonly proofNeeded: ProofNeeded;
  readonly proofShown: ProofShown;
  /** What a 429 means. */
  readonly tooManyRequests: 'not-applied' | 'unknown';
  /** The refusal says that the value which this request sent is already in use. */
  readonly saysDuplicate: boolean;
  /** The refusal says that the member has no pass; only ever true where the operation needs one. */
  readonly saysNoSuchPass: boolean;
}

/** Everything that was seen of one attempt; the whole input of `classifyOutcome`. */
export interface AttemptObservation {
  readonly phase: AttemptPhase;
  /** `null` when the answer was read completely. */
  readonly error: TransportErrorKind | null;
  /** `null` when no status line was read. */
  readonly status: number | null;
  /** From Retry-After, in milliseconds, already clamped; `null` when absent or unreadable. */
  readonly retryAfterMs: number | null;
  readonly body: BodyKind;
  /** `message` of a `{ message: string }` body (partner-api.md section 7), else `null`. */
  readonly message: string | null;
  readonly facts: DialectFacts;
}
