import type { Clock } from '#platform';
import type { CallOptions } from '../port/call.js';
import type { TokenCheck, TokenReport } from '../port/token-check.js';
import { waitWithin } from '../wallet/wait-within.js';
import type { TokenSource } from './token-source.js';

/** Tells whether a token is to be had, without telling the token. */
export class TokenChecker implements TokenCheck {
  constructor(
    private readonly tokens: TokenSource,
    private readonly clock: Clock,
  ) {}

  async checkToken({ timeoutMs, signal }: CallOptions): Promise<TokenReport> {
    const startedAt = this.clock.monotonic();
    const renewed = await waitWithin(this.tokens.renew(), { clock: this.clock, timeoutMs, signal });
    const durationMs = this.clock.monotonic() - startedAt;
    if (typeof renewed === 'string') {
      return { kind: 'failed', stage: 'token', code: renewed, retryAfterMs: null, durationMs };
    }
    if (renewed.kind === 'none') {
      const { reason: code, retryAfterMs } = renewed;
      return { kind: 'failed', stage: 'token', code, retryAfterMs, durationMs };
    }
    return { kind: 'granted', lifetimeMs: renewed.lifetimeMs, durationMs, shapeAlarms: renewed.shapeAlarms };
  }
}
