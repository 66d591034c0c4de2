import { type AttemptPhase, retryAfterMsMax, type TransportErrorKind } from '#domain';

/** One request as it goes on the wire. */
export interface HttpRequest {
  /** Scheme, host and port: `https://partner.example`. */
  readonly origin: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** From here to the last byte of the answer, waiting for a connection included. */
  readonly timeoutMs: number;
  /** A longer answer is cut off; default `responseBodyBytesMax`. */
  readonly responseBytesMax?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

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

/** Sends one request to the partner and reports the result; never rejects, never sends twice. */
export interface HttpTransport {
  send(request: HttpRequest): Promise<HttpResult>;
}

/**
 * Retry-After (RFC 9110 section 10.2.3), in seconds or as a date, in milliseconds from `nowMs`, clamped to
 * [0, `retryAfterMsMax`]. `null` when absent or unreadable.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (text === '') return null;
  const delayMs = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(delayMs) ? null : Math.min(Math.max(0, delayMs), retryAfterMsMax);
}
