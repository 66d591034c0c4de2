import { Inject, Injectable } from '@nestjs/common';
import { type TokenAnswer as TokenFields, tokenAnswerSchema, type TokenForm } from '#contracts';
import type { Clock } from '#platform';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway-options.js';
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
import { PartnerWire } from './connections.js';
import { acceptHeaders, type HttpResult } from './http-exchange.js';
import { retryAfterMsOf } from './retry-after.js';

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

type EndpointOptions = Pick<GatewayOptions, 'clock' | 'authUrl' | 'scope' | 'readCredentials'>;

/** The partner's token endpoint. Its requests hold the client's secret, so they go past axios and all interceptors. */
@Injectable()
export class TokenEndpoint {
  private readonly origin: string;
  private readonly path: string;

  /** @throws TypeError when its address is no URL */
  constructor(
    private readonly wire: PartnerWire,
    @Inject(GATEWAY_OPTIONS) private readonly options: EndpointOptions,
  ) {
    const { origin, pathname } = new URL(options.authUrl);
    this.origin = origin;
    this.path = `${pathname.replace(/\/+$/, '')}/oauth2/token`;
  }

  /** One client-credentials request (partner-api.md section 5). Resolves always. */
  async request(): Promise<TokenAnswer> {
    const form = await readForm(this.options);
    if (form === null) return none('credentials-unreadable');
    const result = await this.wire.send({
      origin: this.origin,
      path: this.path,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...acceptHeaders },
      body: form,
      timeoutMs: tokenTimeoutMs,
    });
    return readAnswer(result, this.options.clock.now());
  }
}

async function readForm({ readCredentials, scope }: EndpointOptions): Promise<string | null> {
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

/**
 * The one access token of this process. At most one token request is under way, for all callers; a token is renewed
 * before it expires while calls go on with the old one; after a failure nobody asks again for `tokenRetryDelayMs` or
 * as long as Retry-After says. Times are monotonic: a jump of the wall clock expires nothing.
 */
@Injectable()
export class TokenSource implements TokenCheck {
  private held: HeldToken | null = null;
  private inFlight: Promise<TokenRenewal> | null = null;
  private deferredUntil = Number.NEGATIVE_INFINITY;
  private lastFailure = '';

  constructor(
    @Inject(TokenEndpoint) private readonly endpoint: Pick<TokenEndpoint, 'request'>,
    @Inject(GATEWAY_OPTIONS) private readonly options: Pick<GatewayOptions, 'clock' | 'tokenObserver'>,
  ) {}

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

  /** No caller waits for this one: a programming error shows itself to the next caller who does. */
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
    const { clock, tokenObserver: observer } = this.options;
    // Counted from before the request: the partner's clock of this token started no earlier.
    const askedAt = clock.monotonic();
    const answer = await this.endpoint.request();
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

/** Waits for `work` no longer than the deadline or the abort; `work` itself continues for other callers. */
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
