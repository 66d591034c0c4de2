import type { Dispatcher } from 'undici';
import type { AttemptPhase, TransportErrorKind } from '#intents/core';
import type { CancelTimer, Clock } from '#platform';

import { responseBodyBytesMax } from '../limits.js';

/** One request as it is sent on the wire. */
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

/** How an answer is asked for; without the second, RFC 9110 section 12.5.3 lets every coding be sent. */
export const acceptHeaders = { accept: 'application/json', 'accept-encoding': 'identity' } as const;

const NO_BYTES = Buffer.alloc(0);

/** A result for a request that was never handed to a socket. */
export function neverSent(error: TransportErrorKind): HttpResult {
  return { phase: 'not-sent', error, status: null, headers: {}, body: NO_BYTES };
}

/** Sends one request to the partner and reports the result; never rejects, never sends twice. */
export interface HttpTransport {
  send(request: HttpRequest): Promise<HttpResult>;
}

/** Stops undici from writing a request: it is thrown in the turn in which the write would follow. */
class RequestWithdrawn extends Error {}

/**
 * One request on its way through undici, and the phase it reached.
 *
 * The mark: undici calls `onRequestStart` once per write, in the same turn as, and just before, it hands the head and
 * body to the connected socket (`writeH1` in undici 7.30 and 8.12; the diagnostics channel `undici:client:sendHeaders`
 * fires between the two, and only costs more). Before it nothing can have been written; an error thrown from it
 * prevents the write. After it every ending without a complete answer is `sent`.
 *
 * undici writes a request a second time when its socket ends with an "informational" error before the answer; the
 * second `onRequestStart` refuses that, so that a request is never sent twice.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  private phase: Exclude<AttemptPhase, 'answered'> = 'not-sent';
  private controller: Dispatcher.DispatchController | null = null;
  private isSettled = false;
  private status: number | null = null;
  private headers: Readonly<Record<string, string>> = {};
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private cancelTimer: CancelTimer | null = null;

  constructor(
    private readonly request: HttpRequest,
    private readonly clock: Clock,
    private readonly resolve: (result: HttpResult) => void,
  ) {}

  start(dispatcher: Dispatcher): void {
    const { signal, timeoutMs } = this.request;
    if (signal?.aborted === true) {
      this.resolve(neverSent('aborted'));
      return;
    }
    signal?.addEventListener('abort', this.onAbort, { once: true });
    this.cancelTimer = this.clock.after(timeoutMs, this.onDeadline);
    try {
      dispatcher.dispatch(this.request, this);
    } catch (error) {
      this.onResponseError(null, error as Error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.isSettled) throw new RequestWithdrawn('ended before it was sent');
    if (this.phase === 'sent') throw new RequestWithdrawn('would be sent twice');
    this.phase = 'sent';
    this.controller = controller;
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    // 1xx is only information; the answer is still to come.
    if (status < 200) return;
    this.status = status;
    this.headers = flattenHeaders(headers);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.isSettled) return;
    this.bytes += chunk.length;
    if (this.bytes > (this.request.responseBytesMax ?? responseBodyBytesMax)) this.giveUp('response-too-large');
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.settle('answered', null);
  }

  onResponseError(_controller: unknown, error: Error): void {
    const kind = this.phase === 'sent' ? lostErrorKind(error, this.status) : unsentErrorKind(error);
    this.settle(this.phase, kind);
  }

  private readonly onDeadline = (): void => {
    this.giveUp('timeout');
  };

  private readonly onAbort = (): void => {
    this.giveUp('aborted');
  };

  private giveUp(kind: TransportErrorKind): void {
    if (this.isSettled) return;
    this.settle(this.phase, kind);
    this.controller?.abort(new RequestWithdrawn(kind));
  }

  private settle(phase: AttemptPhase, error: TransportErrorKind | null): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.cancelTimer?.();
    this.request.signal?.removeEventListener('abort', this.onAbort);
    const [first] = this.chunks;
    const body = this.chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.chunks);
    this.resolve({ phase, error, status: this.status, headers: this.headers, body });
  }
}

/** Session material a partner may set; it has no place in evidence. */
const SECRET_HEADER = 'set-cookie';

function flattenHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === SECRET_HEADER) continue;
    flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}

const BEFORE_THE_MARK: ReadonlyMap<string, TransportErrorKind> = new Map([
  ['ENOTFOUND', 'dns-failure'],
  ['EAI_AGAIN', 'dns-failure'],
  ['EAI_FAIL', 'dns-failure'],
  ['EAI_NODATA', 'dns-failure'],
  ['ECONNREFUSED', 'connection-refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout'],
  ['ETIMEDOUT', 'connect-timeout'],
  ['EPROTO', 'tls-failure'],
  ['UND_ERR_PRX_TLS', 'tls-failure'],
  ['UND_ERR_INVALID_ARG', 'unsendable'],
  ['UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'unsendable'],
]);

/** OpenSSL's verification errors have plain names (`DEPTH_ZERO_SELF_SIGNED_CERT`), Node's own begin with these. */
const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_CA)/;
const TLS_MESSAGE = /secure TLS connection|SSL routines/;

/** Names why nothing could be sent. Any error is safe here: the mark was not reached. */
export function unsentErrorKind(error: Error): TransportErrorKind {
  const code = codeOf(error);
  const known = BEFORE_THE_MARK.get(code);
  if (known !== undefined) return known;
  return TLS_CODE.test(code) || TLS_MESSAGE.test(error.message) ? 'tls-failure' : 'connection-failed';
}

/** Names how an answer was lost after the mark. */
export function lostErrorKind(error: Error, status: number | null): TransportErrorKind {
  if (error.name === 'HTTPParserError') return 'malformed';
  return status === null ? 'reset' : 'truncated';
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
