import { type TokenAnswer as TokenFields, tokenAnswerSchema, type TokenForm } from '#contracts';
import type { Clock } from '#platform';
import {
  tokenLifetimeFallbackMs,
  tokenLifetimeMsMax,
  tokenRefreshMarginMs,
  tokenRetryDelayMs,
  tokenTimeoutMs,
} from '../limits.js';
import type { TokenCheck, TokenReport } from '../partner.js';
import type { CallOptions } from '../port/call.js';
import { readBody } from './answer-body.js';
import { acceptHeaders, type HttpResult, type HttpTransport } from './http-exchange.js';
import { retryAfterMsOf } from './retry-after.js';

/** The credentials of the OAuth 2.0 client; asked for again before every token request. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Observes the gateway's token, for logs and metrics. */
export interface TokenObserver {
  obtained(token: { readonly lifetimeMs: number }): void;
  /** `credentials-unreadable`, `answer-unreadable`, `http-401`, `timeout`, ...; never a credential, a token or a body. */
  failed(reason: string): void;
}

/** What asking for a token brought. `reason` is fit for a log. */
export type TokenAnswer =
  | {
      readonly kind: 'token';
      readonly value: string;
      readonly lifetimeMs: number;
      /** Fields that were missing or not as documented; they are done without. */
      readonly shapeAlarms: readonly string[];
    }
  | { readonly kind: 'none'; readonly reason: string; readonly retryAfterMs: number | null };

export interface TokenEndpoint {
  readonly http: HttpTransport;
  readonly clock: Clock;
  readonly authUrl: string;
  readonly scope: string | null;
  readonly readCredentials: () => ClientCredentials | Promise<ClientCredentials>;
}

/** One client-credentials request (partner-api.md section 5). Resolves always. */
export async function requestToken(endpoint: TokenEndpoint): Promise<TokenAnswer> {
  const form = await readForm(endpoint);
  if (form === null) return none('credentials-unreadable');
  const { origin, pathname } = new URL(endpoint.authUrl);
  const result = await endpoint.http.send({
    origin,
    path: `${pathname.replace(/\/+$/, '')}/oauth2/token`,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...acceptHeaders },
    body: form,
    timeoutMs: tokenTimeoutMs,
  });
  return readAnswer(result, endpoint.clock.now());
}

async function readForm({ readCredentials, scope }: TokenEndpoint): Promise<string | null> {
  try {
    const { clientId, clientSecret } = await readCredentials();
    const form: TokenForm = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    return new URLSearchParams({ ...form, ...(scope !== null && { scope }) }).toString();
  } catch {
    // Deliberately without the cause: a message about a secret's file may quote the secret.
    return null;
  }
}

function readAnswer(result: HttpResult, nowMs: number): TokenAnswer {
  if (result.phase !== 'answered' || result.status === null) return none(result.error ?? 'no-answer');
  if (result.status < 200 || result.status >= 300) {
    return none(`http-${result.status}`, retryAfterMsOf(result.headers, nowMs));
  }
  const answer = tokenAnswerSchema.safeParse(readBody(result).json);
  if (!answer.success) return none('answer-unreadable');
  return granted(answer.data);
}

function granted({ access_token: value, expires_in: seconds, token_type: type }: TokenFields): TokenAnswer {
  const lifetimeMs = Math.min(seconds === undefined ? tokenLifetimeFallbackMs : seconds * 1000, tokenLifetimeMsMax);
  const shapeAlarms: string[] = [];
  if (seconds === undefined) shapeAlarms.push('expires_in');
  // RFC 6749 section 5.1: the type's case does not matter.
  if (type?.toLowerCase() !== 'bearer') shapeAlarms.push('token_type');
  return { kind: 'token', value, lifetimeMs, shapeAlarms };
}

function none(reason: string, retryAfterMs: number | null = null): TokenAnswer {
  return { kind: 'none', reason, retryAfterMs };
}

/** A token to use, or how long to wait before asking makes sense. */
export type TokenGrant =
  { readonly kind: 'token'; readonly value: string } | { readonly kind: 'none'; readonly retryAfterMs: number };

/** What a request for a token brought. */
export type TokenRenewal =
  | Extract<TokenAnswer, { kind: 'token' }>
  | { readonly kind: 'none'; readonly reason: string; readonly retryAfterMs: number };

interface HeldToken {
  readonly value: string;
  readonly refreshAt: number;
  readonly expiresAt: number;
}

export interface TokenSourceOptions {
  readonly clock: Clock;
  readonly request: () => Promise<TokenAnswer>;
  readonly observer?: TokenObserver | undefined;
}

/**
 * The one access token of this process. At most one token request is under way, whoever asks; a token is renewed
 * before it expires while calls go on with the old one; after a failure nobody asks again for `tokenRetryDelayMs` or
 * as long as Retry-After says. Times are monotonic: a jump of the wall clock expires nothing.
 */
export class TokenSource implements TokenCheck {
  private held: HeldToken | null = null;
  private inFlight: Promise<TokenRenewal> | null = null;
  private deferredUntil = Number.NEGATIVE_INFINITY;
  private lastFailure = '';

  constructor(private readonly options: TokenSourceOptions) {}

  /** The token when one is valid now, without waiting; starts a renewal in the background when it is about to expire. */
  current(): string | null {
    const now = this.options.clock.monotonic();
    if (this.held === null || now >= this.held.expiresAt) return null;
    if (now >= this.held.refreshAt && this.inFlight === null && now >= this.deferredUntil) this.refreshAhead();
    return this.held.value;
  }

  /** The current token, or a new one. Joins a request that is under way. */
  async obtain(): Promise<TokenGrant> {
    const value = this.current();
    return value === null ? this.renew() : { kind: 'token', value };
  }

  /** After a 401: a token other than `refused`. Asks for one only if `refused` is still the current one. */
  async replace(refused: string): Promise<TokenGrant> {
    if (this.held?.value === refused) this.held = null;
    return this.obtain();
  }

  /** Nobody waits for this one: a programming error shows itself to the next caller who does. */
  private refreshAhead(): void {
    this.renew().catch(() => undefined);
  }

  /** A new token, whether one is held or not. Joins a request that is under way. */
  async renew(): Promise<TokenRenewal> {
    if (this.inFlight !== null) return this.inFlight;
    const waitMs = this.deferredUntil - this.options.clock.monotonic();
    if (waitMs > 0) return { kind: 'none', reason: this.lastFailure, retryAfterMs: waitMs };
    this.inFlight = this.ask();
    try {
      return await this.inFlight;
    } finally {
      this.inFlight = null;
    }
  }

  async checkToken({ timeoutMs, signal }: CallOptions): Promise<TokenReport> {
    const { clock } = this.options;
    const startedAt = clock.monotonic();
    const renewed = await waitWithin(this.renew(), { clock, timeoutMs, signal });
    const durationMs = clock.monotonic() - startedAt;
    if (typeof renewed === 'string') {
      return { kind: 'failed', stage: 'token', code: renewed, retryAfterMs: null, durationMs };
    }
    if (renewed.kind === 'none') {
      const { reason: code, retryAfterMs } = renewed;
      return { kind: 'failed', stage: 'token', code, retryAfterMs, durationMs };
    }
    return { kind: 'granted', lifetimeMs: renewed.lifetimeMs, durationMs, shapeAlarms: renewed.shapeAlarms };
  }

  private async ask(): Promise<TokenRenewal> {
    const { clock, request, observer } = this.options;
    // Counted from before the request: the partner's clock of this token started no earlier.
    const askedAt = clock.monotonic();
    const answer = await request();
    if (answer.kind === 'none') {
      const retryAfterMs = Math.max(tokenRetryDelayMs, answer.retryAfterMs ?? 0);
      this.deferredUntil = clock.monotonic() + retryAfterMs;
      this.lastFailure = answer.reason;
      observer?.failed(answer.reason);
      return { kind: 'none', reason: answer.reason, retryAfterMs };
    }
    const { value, lifetimeMs } = answer;
    const marginMs = Math.min(tokenRefreshMarginMs, lifetimeMs / 4);
    this.held = { value, refreshAt: askedAt + lifetimeMs - marginMs, expiresAt: askedAt + lifetimeMs };
    observer?.obtained({ lifetimeMs });
    return answer;
  }
}

/** Waits for `work` no longer than the deadline or the abort; `work` itself goes on for whoever else waits for it. */
export async function waitWithin<T>(
  work: Promise<T>,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<T | 'timeout' | 'aborted'> {
  if (signal?.aborted === true) return 'aborted';
  const end = Promise.withResolvers<'timeout' | 'aborted'>();
  const onAbort = (): void => end.resolve('aborted');
  signal?.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = clock.after(Math.max(0, timeoutMs), () => end.resolve('timeout'));
  try {
    return await Promise.race([work, end.promise]);
  } finally {
    cancelTimer();
    signal?.removeEventListener('abort', onAbort);
  }
}
