import type { Clock } from '#platform';
import type { TokenObserver } from '../gateway-options.js';
import { tokenRefreshMarginMs, tokenRetryDelayMs } from '../limits.js';
import type { TokenAnswer } from './token-request.js';

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
export class TokenSource {
  private held: HeldToken | null = null;
  private flight: Promise<TokenRenewal> | null = null;
  private silentUntil = Number.NEGATIVE_INFINITY;
  private lastFailure = '';

  constructor(private readonly options: TokenSourceOptions) {}

  /** The token when one is valid now, without waiting; starts a renewal in the background when it is about to expire. */
  current(): string | null {
    const now = this.options.clock.monotonic();
    if (this.held === null || now >= this.held.expiresAt) return null;
    if (now >= this.held.refreshAt && this.flight === null && now >= this.silentUntil) this.refreshAhead();
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
    if (this.flight !== null) return this.flight;
    const waitMs = this.silentUntil - this.options.clock.monotonic();
    if (waitMs > 0) return { kind: 'none', reason: this.lastFailure, retryAfterMs: waitMs };
    this.flight = this.ask();
    try {
      return await this.flight;
    } finally {
      this.flight = null;
    }
  }

  private async ask(): Promise<TokenRenewal> {
    const { clock, request, observer } = this.options;
    // Counted from before the request: the partner's clock of this token started no earlier.
    const askedAt = clock.monotonic();
    const answer = await request();
    if (answer.kind === 'none') {
      const retryAfterMs = Math.max(tokenRetryDelayMs, answer.retryAfterMs ?? 0);
      this.silentUntil = clock.monotonic() + retryAfterMs;
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
