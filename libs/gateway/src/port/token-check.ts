import type { CallOptions } from './call.js';

/**
 * What asking for a token brought (partner-api.md section 5); never the token. `code`: `credentials-unreadable`,
 * `answer-unreadable`, `http-401`, `timeout`, `aborted`, `connection-refused`, ...
 */
export type TokenReport =
  | {
      readonly kind: 'granted';
      /** From `expires_in`, or what is assumed when it cannot be read. */
      readonly lifetimeMs: number;
      readonly durationMs: number;
      /** `expires_in`, `token_type` where they were missing or not as documented. */
      readonly shapeAlarms: readonly string[];
    }
  | {
      readonly kind: 'failed';
      readonly stage: 'token';
      readonly code: string;
      readonly retryAfterMs: number | null;
      readonly durationMs: number;
    };

export interface TokenCheck {
  /**
   * Asks the token endpoint for a token, even if a valid one is held, and uses it from then on. Joins a request that is
   * under way; while the endpoint is left in peace after a failure it is not asked, and that failure told again.
   */
  checkToken(options: CallOptions): Promise<TokenReport>;
}
