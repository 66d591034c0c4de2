import type { AttemptOutcome, AttemptPhase } from '#intents/core';
import { SafeError } from '#platform';

/** What was sent, kept as evidence with the attempt. Holds personal values: store it encrypted only. */
export interface RequestEvidence {
  readonly method: string;
  /** Path and query, without the base address. Both are empty when no request could be made of the input. */
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

/** Evidence of a call that changes nothing. */
export interface CallEvidence {
  readonly request: RequestEvidence;
  readonly response: ResponseEvidence | null;
  readonly durationMs: number;
  /** What we say of the answer. */
  readonly note?: string;
}

export interface CallOptions {
  /** From the call to the last byte of the answer; waiting for a token or a connection and the repeat included. */
  readonly timeoutMs: number;
  /** Aborting before the socket has the request gives `not-applied`; afterwards `unknown`. */
  readonly signal?: AbortSignal;
  /** W3C; sent with the call. */
  readonly traceparent?: string | undefined;
}

/**
 * The last stage a call reached, which is where it failed if it failed. `request`: the input made no request that may
 * be sent. `token`: no token was to be had, or two were refused. `connection`: nothing was handed to a socket.
 * `exchange`: it was, and no complete answer came back. `answer`: a complete answer, whatever it says.
 */
export type CallStage = 'request' | 'token' | 'connection' | 'exchange' | 'answer';

/** Why a call that only reads failed: see `CallStage`; `code` as in an attempt's outcome. */
export interface CallFailure {
  readonly stage: CallStage;
  readonly code: string;
  readonly retryAfterMs: number | null;
}

/** One call to the partner, whatever came of it. Never thrown: the caller decides by `outcome`. */
export interface AttemptReport<Value> {
  readonly outcome: AttemptOutcome;
  readonly stage: CallStage;
  readonly phase: AttemptPhase;
  readonly durationMs: number;
  readonly request: RequestEvidence;
  readonly response: ResponseEvidence | null;
  /** The parsed answer when `outcome` is `applied` and there was one; mistyped documented fields are left out. */
  readonly value: Value | null;
  /**
   * Paths of documented fields that were missing or mistyped, `request.amount` when our own request could not be
   * written. Never a value. Raises an alarm; only the lack of a call's proof changes the outcome (`success.proof`).
   */
  readonly shapeAlarms: readonly string[];
}

/**
 * A call that could not answer, where a report is no use: while a listing is iterated. Callers decide by `stage` and
 * `code`; the message holds these and nothing else.
 */
export class GatewayError extends SafeError implements CallFailure {
  readonly stage: CallStage;
  readonly code: string;
  readonly retryAfterMs: number | null;
  /** Paths and rules of an input that was refused; never a value. */
  readonly problems: readonly string[];

  constructor({ stage, code, retryAfterMs }: CallFailure, problems: readonly string[] = []) {
    super([`${stage}: ${code}`, ...problems].join('; '));
    this.name = 'GatewayError';
    this.stage = stage;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.problems = problems;
  }
}
