import type { Clock } from '#platform';
import { type HttpResult, type HttpTransport, neverSent, parseRetryAfter } from '../http/http-transport.js';
import type { CallOptions } from '../port/call.js';
import { type TokenGrant, type TokenSource, waitWithin } from '../token/token-source.js';
import type { PlannedRequest } from './planned-request.js';

/** What became of one call, the repeat after a 401 included. */
export interface CallTrace {
  readonly result: HttpResult;
  /** The last answer that was seen; differs from `result` when after a 401 no token was to be had. */
  readonly seen: HttpResult;
  readonly retryAfterMs: number | null;
  readonly durationMs: number;
}

export interface AuthorizedClientOptions {
  readonly http: HttpTransport;
  readonly tokens: TokenSource;
  readonly clock: Clock;
  readonly baseUrl: string;
}

interface Call {
  readonly planned: PlannedRequest;
  readonly options: CallOptions;
  readonly startedAt: number;
}

/**
 * Sends a request with the current token; a 401 is repeated exactly once with another one, because it is a definite
 * refusal (partner-api.md sections 5 and 7). One deadline covers all of it.
 */
export class AuthorizedClient {
  private readonly origin: string;
  private readonly basePath: string;

  constructor(private readonly parts: AuthorizedClientOptions) {
    const { origin, pathname } = new URL(parts.baseUrl);
    this.origin = origin;
    this.basePath = pathname.replace(/\/+$/, '');
  }

  async send(planned: PlannedRequest, options: CallOptions): Promise<CallTrace> {
    const call = { planned, options, startedAt: this.parts.clock.monotonic() };
    const held = this.parts.tokens.current();
    const grant = held === null ? await this.wait(call, this.parts.tokens.obtain()) : tokenGrant(held);
    if (grant.kind === 'none') return this.trace(call, neverSent(grant.error), grant);
    const first = await this.sendWith(call, grant.value);
    return isRefusedToken(first) ? this.repeat(call, grant.value, first) : this.trace(call, first);
  }

  private async repeat(call: Call, refused: string, first: HttpResult): Promise<CallTrace> {
    const grant = await this.wait(call, this.parts.tokens.replace(refused));
    if (grant.kind === 'none') return this.trace(call, neverSent(grant.error), { ...grant, seen: first });
    return this.trace(call, await this.sendWith(call, grant.value));
  }

  private async sendWith(call: Call, token: string): Promise<HttpResult> {
    const timeoutMs = this.remainingMs(call);
    if (timeoutMs <= 0) return neverSent('timeout');
    const { method, path, body, responseBytesMax } = call.planned;
    return this.parts.http.send({
      origin: this.origin,
      path: this.basePath + path,
      method,
      headers: { ...headersFor(token, body !== null), ...traceHeader(call.options) },
      body,
      timeoutMs,
      responseBytesMax,
      signal: call.options.signal,
    });
  }

  private async wait(call: Call, grant: Promise<TokenGrant>): Promise<Granted> {
    const { clock } = this.parts;
    const limits = { clock, timeoutMs: this.remainingMs(call), signal: call.options.signal };
    const waited = await waitWithin(grant, limits);
    if (waited === 'aborted') return { kind: 'none', error: 'aborted', retryAfterMs: null };
    if (waited === 'timeout') return { kind: 'none', error: 'no-token', retryAfterMs: null };
    return waited.kind === 'none' ? { ...waited, error: 'no-token' } : waited;
  }

  private remainingMs(call: Call): number {
    return call.options.timeoutMs - (this.parts.clock.monotonic() - call.startedAt);
  }

  private trace(
    call: Call,
    result: HttpResult,
    noToken?: { retryAfterMs: number | null; seen?: HttpResult },
  ): CallTrace {
    const header = result.headers['retry-after'];
    const retryAfterMs = header === undefined ? null : parseRetryAfter(header, this.parts.clock.now());
    return {
      result,
      seen: noToken?.seen ?? result,
      retryAfterMs: noToken?.retryAfterMs ?? retryAfterMs,
      durationMs: this.parts.clock.monotonic() - call.startedAt,
    };
  }
}

type Granted =
  | { readonly kind: 'token'; readonly value: string }
  | { readonly kind: 'none'; readonly error: 'aborted' | 'no-token'; readonly retryAfterMs: number | null };

function tokenGrant(value: string): Granted {
  return { kind: 'token', value };
}

function isRefusedToken({ phase, status }: HttpResult): boolean {
  return phase === 'answered' && status === 401;
}

function headersFor(token: string, hasBody: boolean): Readonly<Record<string, string>> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': 'loyaltyd' };
  return hasBody ? { ...headers, 'content-type': 'application/json' } : headers;
}

const noHeaders: Readonly<Record<string, string>> = {};

function traceHeader({ traceparent }: CallOptions): Readonly<Record<string, string>> {
  return traceparent === undefined ? noHeaders : { traceparent };
}
