import type { Clock } from '../clock/clock.js';

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

/** Asks for one token. Resolves always. */
export interface TokenRequests {
  request(): Promise<TokenAnswer>;
}

/** Observes tokens, for logs and metrics. */
export interface TokenObserver {
  obtained(token: { readonly lifetimeMs: number }): void;
  /** `credentials-unreadable`, `answer-unreadable`, `http-401`, `timeout`, ...; never a credential, a token or a body. */
  failed(reason: string): void;
}

export interface AccessTokenOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly observer?: TokenObserver | undefined;
  /** After failures in a row the wait doubles up to this; by default it stays `tokenRetryDelayMs`. */
  readonly retryDelayMsMax?: number;
}

/** A token is renewed this long before it expires, or after three quarters of a shorter life. */
export const tokenRefreshMarginMs = 60_000;
/** Life of a token whose `expires_in` was missing or unreadable. */
export const tokenLifetimeFallbackMs = 300_000;
/** A longer life is cut to this, so that a rotated credential is noticed. */
export const tokenLifetimeMsMax = 86_400_000;
/** After a failed token request none is made for this long. */
export const tokenRetryDelayMs = 1_000;

/** A token to use, or why there is none and how long to wait before asking makes sense. */
export type TokenGrant =
  | { readonly kind: 'token'; readonly value: string }
  | { readonly kind: 'none'; readonly reason: string; readonly retryAfterMs: number };

/** What a request for a token brought. */
export type TokenRenewal = Extract<TokenAnswer, { kind: 'token' }> | Extract<TokenGrant, { kind: 'none' }>;

interface HeldToken {
  readonly value: string;
  readonly refreshAt: number;
  readonly expiresAt: number;
}

/**
 * The one access token of this process for one service. At most one token request is under way, for all callers; a token is
 * renewed before it expires while callers go on with the old one; after a failure nobody asks again for
 * `tokenRetryDelayMs` or as long as Retry-After says. Times are monotonic: a jump of the wall clock expires nothing.
 */
export class AccessTokens {
  private held: HeldToken | null = null;
  private inFlight: Promise<TokenRenewal> | null = null;
  private deferredUntil = Number.NEGATIVE_INFINITY;
  private lastFailure = '';
  private failures = 0;

  constructor(
    private readonly endpoint: TokenRequests,
    private readonly settings: AccessTokenOptions,
  ) {}

  /** The token when one is valid now, without waiting; starts a renewal in the background when it is about to expire. */
  current(): string | null {
    const now = this.settings.clock.monotonic();
    if (this.held === null || now >= this.held.expiresAt) return null;
    if (now >= this.held.refreshAt && this.inFlight === null && now >= this.deferredUntil) this.refreshAhead();
    return this.held.value;
  }

  /** The current token, or a new one. Joins a request that is under way. */
  async obtain(): Promise<TokenGrant> {
    const value = this.current();
    return value === null ? this.renew() : { kind: 'token', value };
  }

  /**
   * As `obtain`, but waits for the new token where the old one is about to expire: for logins that last as long as their
   * token. Where no new one is to be had, the old one does while it is valid.
   */
  async obtainLasting(): Promise<TokenGrant> {
    const isFresh = this.held !== null && this.settings.clock.monotonic() < this.held.refreshAt;
    if (isFresh) return this.obtain();
    const renewed = await this.renew();
    if (renewed.kind === 'token') return renewed;
    const value = this.current();
    return value === null ? renewed : { kind: 'token', value };
  }

  /** `refused` is not given out again. */
  forget(refused: string): void {
    if (this.held?.value === refused) this.held = null;
  }

  /** After a 401: a token other than `refused`. Asks for one only if `refused` is still the current one. */
  async replace(refused: string): Promise<TokenGrant> {
    this.forget(refused);
    return this.obtain();
  }

  /** No caller waits for this one: a programming error shows itself to the next caller who does. */
  private refreshAhead(): void {
    this.renew().catch(() => undefined);
  }

  /** A new token, whether one is held or not. Joins a request that is under way. */
  async renew(): Promise<TokenRenewal> {
    if (this.inFlight !== null) return this.inFlight;
    const waitMs = this.deferredUntil - this.settings.clock.monotonic();
    if (waitMs > 0) return { kind: 'none', reason: this.lastFailure, retryAfterMs: waitMs };
    this.inFlight = this.ask();
    try {
      return await this.inFlight;
    } finally {
      this.inFlight = null;
    }
  }

  private async ask(): Promise<TokenRenewal> {
    const { clock, observer } = this.settings;
    // Counted from before the request: the server's clock of this token started no earlier.
    const askedAt = clock.monotonic();
    const answer = await this.endpoint.request();
    if (answer.kind === 'none') return this.failed(answer.reason, answer.retryAfterMs ?? 0);
    const { value, lifetimeMs } = answer;
    const marginMs = Math.min(tokenRefreshMarginMs, lifetimeMs / 4);
    this.held = { value, refreshAt: askedAt + lifetimeMs - marginMs, expiresAt: askedAt + lifetimeMs };
    this.failures = 0;
    observer?.obtained({ lifetimeMs });
    return answer;
  }

  private failed(reason: string, retryAfterMsMin: number): TokenRenewal {
    const { clock, observer, retryDelayMsMax = tokenRetryDelayMs } = this.settings;
    const delayMs = Math.min(tokenRetryDelayMs * 2 ** this.failures, retryDelayMsMax);
    const retryAfterMs = Math.max(delayMs, retryAfterMsMin);
    this.failures += 1;
    this.deferredUntil = clock.monotonic() + retryAfterMs;
    this.lastFailure = reason;
    observer?.failed(reason);
    return { kind: 'none', reason, retryAfterMs };
  }
}

/** How long a token lives by the seconds that its answer says; null: it does not say. */
export function tokenLifetimeMs(seconds: number | null): number {
  return Math.min(seconds === null ? tokenLifetimeFallbackMs : seconds * 1000, tokenLifetimeMsMax);
}
