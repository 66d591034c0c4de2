import type { ApiSettings } from '../api-settings.js';
import { ApiProblem } from '../problems/api-problem.js';
import { FailedLogins } from './failed-logins.js';
import type { ProviderVerdict } from './oidc/provider-operators.js';
import { ProviderOperators } from './oidc/provider-operators.js';
import type { Operator } from './operator.js';
import { TokenBook } from './token-book.js';

/** Who asks, as the head of the request says. */
export interface Bearer {
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Tokens of an identity provider that lists many groups are long. */
const bearer = /^Bearer +([\w~+/.=-]{1,8192})$/i;

const unknownToken: ProviderVerdict = { kind: 'refused', detail: 'The token is not known.', isGuess: true };

/** Nobody was let in. */
export function unauthorized(detail = 'Send a token: Authorization: Bearer TOKEN'): ApiProblem {
  const headers = { 'www-authenticate': 'Bearer realm="loyaltyd"' };
  return new ApiProblem({ status: 401, code: 'unauthorized', title: 'Who are you?', detail, headers });
}

/** The connection ends with it: the next guess costs another one. */
function tooManyFailures(waitMs: number): ApiProblem {
  const headers = { 'retry-after': String(Math.ceil(waitMs / 1_000)), connection: 'close' };
  const detail = 'This token is wrong, and so were too many before it from this address.';
  return new ApiProblem({ status: 429, code: 'too-many-failures', title: 'Wait a moment', detail, headers });
}

/** Says who carries a token of `OPS_TOKENS` or of the identity provider. The head of a request is all that it reads. */
export class Authenticator {
  private readonly tokens: TokenBook;
  private readonly provider: ProviderOperators | null;
  private readonly failures: FailedLogins;

  constructor({ tokens, oidc, clock }: Pick<ApiSettings, 'tokens' | 'oidc' | 'clock'>) {
    this.tokens = new TokenBook(tokens);
    this.provider = oidc === null ? null : new ProviderOperators({ ...oidc, clock });
    this.failures = new FailedLogins(clock);
  }

  /**
   * Tokens are judged before failures are counted: a valid one is let in, whatever came from its address before it.
   * @throws {ApiProblem} 401, or 429 once too many wrong ones came from there
   */
  async operatorOf({ ip, headers }: Bearer): Promise<Operator> {
    const { authorization } = headers;
    if (authorization === undefined) throw unauthorized();
    const token = typeof authorization === 'string' ? bearer.exec(authorization)?.[1] : undefined;
    const verdict = token === undefined ? unknownToken : await this.judge(token);
    if (verdict.kind === 'admitted') return verdict.operator;
    if (verdict.isGuess) this.countGuess(ip);
    throw unauthorized(verdict.detail);
  }

  private async judge(token: string): Promise<ProviderVerdict> {
    const operator = this.tokens.operatorOf(token);
    if (operator !== null) return { kind: 'admitted', operator };
    const { provider } = this;
    if (provider?.isWellFormed(token) === true) return provider.judge(token);
    return unknownToken;
  }

  private countGuess(ip: string): void {
    const waitMs = this.failures.waitMs(ip);
    if (waitMs > 0) throw tooManyFailures(waitMs);
    this.failures.failed(ip);
  }
}
