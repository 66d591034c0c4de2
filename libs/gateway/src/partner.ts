import type { Administration } from './port/administration.js';
import type { CallOptions } from './port/call.js';
import type { PassListings } from './port/pass-listing.js';
import type { PassOperations } from './port/pass-operations.js';

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
   * under way; while the endpoint is left in peace after a failure it is not asked, and that failure reported again.
   */
  checkToken(options: CallOptions): Promise<TokenReport>;
}

/**
 * The partner's Wallet Card API, whole: every call of partner-api.md section 4 and the token call. Who needs a part
 * names the part (`PassOperations`, `PassListings`, `Administration`, `TokenCheck`) or picks from it.
 *
 * Methods resolve with a report for every answer, error, timeout and for input that makes no request (stage `request`,
 * nothing sent); they reject only for a programming error. No method ever sends twice, except once after a 401 with a
 * fresh token: a 401 is a definite refusal (partner-api.md sections 5 and 7).
 */
export abstract class Partner implements PassOperations, PassListings, Administration, TokenCheck {
  abstract findPass: PassOperations['findPass'];
  abstract send: PassOperations['send'];
  abstract scheduleUpdate: PassOperations['scheduleUpdate'];
  abstract listPasses: PassListings['listPasses'];
  abstract countPasses: PassListings['countPasses'];
  abstract updateTransactionType: Administration['updateTransactionType'];
  abstract createTransactionAttribute: Administration['createTransactionAttribute'];
  abstract createBrandAttribute: Administration['createBrandAttribute'];
  abstract updateBrandAttribute: Administration['updateBrandAttribute'];
  abstract createTemplate: Administration['createTemplate'];
  abstract updateBrand: Administration['updateBrand'];
  abstract checkToken: TokenCheck['checkToken'];
}
