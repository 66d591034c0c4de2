import { createHash, timingSafeEqual } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import type { OperatorToken } from '#contracts';
import type { Clock } from '#platform';

import type { ApiSettings } from '../api-settings.js';
import { ApiProblem } from '../problems/api-problem.js';
import type { Operator } from './operator.js';
import type { ProviderVerdict } from './provider-operators.js';
import { ProviderOperators } from './provider-operators.js';

interface Entry extends Operator {
  readonly digest: Buffer;
}

/** The tokens of `OPS_TOKENS` in force. Only their digests are known here. */
class OperatorTokens {
  private read: readonly OperatorToken[] = [];
  private entries: readonly Entry[] = [];

  /** @param tokens asked each time; another list is another array */
  constructor(private readonly tokens: () => readonly OperatorToken[]) {}

  /** Whose token it is, or null. Looks at all of them, so that the time tells nothing. */
  operatorOf(token: string): Operator | null {
    const digest = createHash('sha256').update(token).digest();
    const found = this.find(digest);
    return found === null ? null : { ...found, isStillIn: () => this.find(digest)?.role === found.role };
  }

  private find(digest: Buffer): Pick<Operator, 'name' | 'role'> | null {
    let found: Pick<Operator, 'name' | 'role'> | null = null;
    for (const { name, role, digest: known } of this.current()) {
      if (timingSafeEqual(known, digest)) found = { name, role };
    }
    return found;
  }

  private current(): readonly Entry[] {
    const tokens = this.tokens();
    if (tokens !== this.read) {
      this.read = tokens;
      this.entries = tokens.map(({ name, role, sha256 }) => ({ name, role, digest: Buffer.from(sha256, 'hex') }));
    }
    return this.entries;
  }
}

/** So many wrong tokens from one address within a minute; after that it waits for the minute to end. */
export const failuresMax = 10;
export const failureWindowMs = 60_000;
/** Addresses remembered at a time; the ones that failed least recently are forgotten. */
const addressesMax = 10_000;

interface Failures {
  readonly since: number;
  readonly count: number;
}

/** Slows down clients that guess tokens. In memory only: each replica counts for itself. */
export class FailedLogins {
  private readonly byAddress = new LRUCache<string, Failures>({ max: addressesMax });

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Milliseconds that this address has to wait before its next try; 0: none. */
  waitMs(address: string): number {
    const failures = this.current(address);
    return failures.count < failuresMax ? 0 : failures.since + failureWindowMs - this.clock.monotonic();
  }

  failed(address: string): void {
    const { since, count } = this.current(address);
    this.byAddress.set(address, { since, count: count + 1 });
  }

  private current(address: string): Failures {
    const now = this.clock.monotonic();
    const known = this.byAddress.get(address);
    return known === undefined || now - known.since >= failureWindowMs ? { since: now, count: 0 } : known;
  }
}

/** Who asks, as the head of the request says. */
interface Bearer {
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

/** Authenticates a token of `OPS_TOKENS` or of the identity provider. It reads only the head of a request. */
export class Authenticator {
  private readonly tokens: OperatorTokens;
  private readonly provider: ProviderOperators | null;
  private readonly failures: FailedLogins;

  constructor({ tokens, oidc, clock }: Pick<ApiSettings, 'tokens' | 'oidc' | 'clock'>) {
    this.tokens = new OperatorTokens(tokens);
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
