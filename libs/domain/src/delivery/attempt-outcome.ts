/**
 * How far a request got before it ended. `not-sent`: nothing of the request was handed to a socket, so the partner
 * cannot have seen it. `sent`: headers were handed over, no complete answer came back. `answered`: a complete
 * response (status, headers, body) was read.
 */
export type AttemptPhase = 'not-sent' | 'sent' | 'answered';

/**
 * Stable codes of a definite refusal. `refused` is every refusal the dialect gives no closer name; `invalid-request` is
 * the gateway's own, for what it will not send.
 */
export type RejectionCode = 'duplicate' | 'no-such-pass' | 'refused' | 'invalid-request';

/**
 * What an attempt told us (design.md section 6).
 * `answered` on `not-applied` says whether the partner answered: only then does the attempt count against `retries`.
 * `systemic` marks refusals that point at broken configuration, not at this intent.
 */
export type AttemptOutcome =
  | { readonly kind: 'applied' }
  | {
      readonly kind: 'rejected';
      readonly code: RejectionCode;
      readonly message: string;
      /** A keyed digest of the wording (`refusalFingerprint`), for grouping: it may be stored in the clear. */
      readonly fingerprint?: string;
    }
  | {
      readonly kind: 'not-applied';
      readonly code: string;
      readonly answered: boolean;
      readonly systemic: boolean;
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: 'unknown'; readonly code: string; readonly retryAfterMs: number | null };
