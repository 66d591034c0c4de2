import type { AttemptPhase, TransportErrorKind } from '#domain';

/** What became of one request. Never thrown: losing an answer is a result like any other. */
export interface HttpResult {
  readonly phase: AttemptPhase;
  /** `null` exactly when `phase` is `answered`. */
  readonly error: TransportErrorKind | null;
  /** Set as soon as a status line was read, also when the rest was lost. */
  readonly status: number | null;
  /** Names in lower case; a repeated header's values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** All that was read, at most the request's `responseBytesMax`. */
  readonly body: Buffer;
}

const NO_BYTES = Buffer.alloc(0);

/** A result for a request that was never handed to a socket. */
export function neverSent(error: TransportErrorKind): HttpResult {
  return { phase: 'not-sent', error, status: null, headers: {}, body: NO_BYTES };
}
