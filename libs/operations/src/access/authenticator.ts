import { createHash, timingSafeEqual } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import type { OperatorToken, ProducerToken } from '#contracts';
import type { Clock } from '#platform';

import type { AccessSettings } from './access-settings.js';
import { ApiProblem } from '../problems/api-problem.js';
import type { Operator, Producer, ProgramLimit } from './operator.js';
import { forbidden } from './operator.js';
import type { ProviderVerdict } from './provider-operators.js';
import { ProviderOperators } from './provider-operators.js';

type Access = Pick<Operator, 'name' | 'role' | 'programs'>;

interface Entry extends Access {
  readonly digest: Buffer;
}

const textOf = (programs: ProgramLimit): string => JSON.stringify(programs?.toSorted() ?? null);

/** Whether a token that is known now allows what it did before. */
function isSameAccess(now: Access | null, before: Access): boolean {
  return now?.role === before.role && textOf(now.programs) === textOf(before.programs);
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
    return found === null ? null : { ...found, isStillIn: () => isSameAccess(this.find(digest), found) };
  }

  private find(digest: Buffer): Access | null {
    let found: Access | null = null;
    for (const { name, role, programs, digest: known } of this.current()) {
      if (timingSafeEqual(known, digest)) found = { name, role, programs };
    }
    return found;
  }

  private current(): readonly Entry[] {
    const tokens = this.tokens();
    if (tokens !== this.read) {
      this.read = tokens;
      this.entries = tokens.map(({ name, role, programs = null, sha256 }) => ({
        ...{ name, role, programs },
        digest: Buffer.from(sha256, 'hex'),
      }));
    }
    return this.entries;
  }
}

/** Whose token of a producer it is, or null. Looks at all of them, so that the time tells nothing. */
function producerOf(token: string, producers: readonly ProducerToken[]): Producer | null {
  const digest = createHash('sha256').update(token).digest();
  let found: Producer | null = null;
  for (const { name, sha256, sources, types = null } of producers) {
    if (timingSafeEqual(Buffer.from(sha256, 'hex'), digest)) found = { name, sources, types };
  }
  return found;
}

/** Who was let in. */
export type Caller =
  | { readonly operator: Operator; readonly producer?: never }
  | { readonly producer: Producer; readonly operator?: never };

/** So often the same wrong credential from one address within a minute; after that it waits for the minute to end. */
export const failuresMax = 10;
/** So many wrong ones of any kind: who takes another credential each time guesses no longer than that. */
export const addressFailuresMax = 100;
export const failureWindowMs = 60_000;
/** Remembered of either at a time; the ones that failed least recently are forgotten. */
const rememberedMax = 10_000;

interface Failures {
  readonly since: number;
  readonly count: number;
}

/** Counts within a minute, by what identifies a client. */
class Counts {
  private readonly byKey = new LRUCache<string, Failures>({ max: rememberedMax });

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly max: number,
  ) {}

  waitMs(key: string): number {
    const { since, count } = this.current(key);
    return count < this.max ? 0 : since + failureWindowMs - this.clock.monotonic();
  }

  add(key: string): void {
    const { since, count } = this.current(key);
    this.byKey.set(key, { since, count: count + 1 });
  }

  private current(key: string): Failures {
    const now = this.clock.monotonic();
    const known = this.byKey.get(key);
    return known === undefined || now - known.since >= failureWindowMs ? { since: now, count: 0 } : known;
  }
}

/** A credential that is refused, and the address that sends it. */
interface Guess {
  readonly address: string;
  readonly credential: string;
}

/**
 * Slows down clients that guess tokens. A client that repeats a wrong one is recognised by it, so that others behind the same proxy
 * are not held up by it; in memory only: each replica counts for itself.
 */
export class FailedLogins {
  private readonly byCredential: Counts;
  private readonly byAddress: Counts;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.byCredential = new Counts(clock, failuresMax);
    this.byAddress = new Counts(clock, addressFailuresMax);
  }

  /** Counts a guess. @returns milliseconds to wait before the next one; 0: it is one of those that may fail */
  failed({ address, credential }: Guess): number {
    // Of the credential itself nothing is kept.
    const key = `${address} ${createHash('sha256').update(credential).digest('base64')}`;
    const waitMs = Math.max(this.byCredential.waitMs(key), this.byAddress.waitMs(address));
    if (waitMs > 0) return waitMs;
    this.byCredential.add(key);
    this.byAddress.add(address);
    return 0;
  }

  /** @throws {ApiProblem} 429 once too many have failed */
  count(guess: Guess): void {
    const waitMs = this.failed(guess);
    if (waitMs > 0) throw tooManyFailures(waitMs);
  }
}

/** Who asks, as the head of the request says. */
interface Bearer {
  readonly address: string;
  readonly authorization: string | undefined;
}

/** Tokens of an identity provider that lists many groups are long. */
const bearer = /^Bearer +([\w~+/.=-]{1,8192})$/i;

const unknownToken: ProviderVerdict = { kind: 'refused', detail: 'The token is not known.', isGuess: true };

/** The credential was refused. */
export function unauthorized(detail = 'Send a token: Authorization: Bearer TOKEN'): ApiProblem {
  const headers = { 'www-authenticate': 'Bearer realm="loyaltyd"' };
  return new ApiProblem({ status: 401, code: 'unauthorized', title: 'Who are you?', detail, headers });
}

/** The connection ends with it: the next guess costs another one. */
function tooManyFailures(waitMs: number): ApiProblem {
  const headers = { 'retry-after': String(Math.ceil(waitMs / 1_000)), connection: 'close' };
  const detail = 'This token or code is wrong, and was so too often, or too many others were from this address.';
  return new ApiProblem({ status: 429, code: 'too-many-failures', title: 'Wait a moment', detail, headers });
}

/** Authenticates a token of `OPS_TOKENS` or of the identity provider. It reads only the head of a request. */
export class Authenticator {
  private readonly tokens: OperatorTokens;
  private readonly provider: ProviderOperators | null;
  private readonly failures: FailedLogins;
  private readonly producers: NonNullable<AccessSettings['producers']>;

  constructor({
    tokens,
    producers = () => [],
    oidc,
    clock,
  }: Pick<AccessSettings, 'tokens' | 'producers' | 'oidc' | 'clock'>) {
    this.tokens = new OperatorTokens(tokens);
    this.producers = producers;
    this.provider = oidc === null ? null : new ProviderOperators({ ...oidc, clock });
    this.failures = new FailedLogins(clock);
  }

  /**
   * Tokens are judged before failures are counted: a valid one is let in, whatever came from its address before it.
   * @throws {ApiProblem} 401, or 429 once too many wrong ones came from there
   */
  async callerOf({ address, authorization }: Bearer): Promise<Caller> {
    if (authorization === undefined) throw unauthorized();
    const token = bearer.exec(authorization)?.[1];
    const producer = token === undefined ? null : producerOf(token, this.producers());
    if (producer !== null) return { producer };
    const verdict = token === undefined ? unknownToken : await this.judge(token);
    if (verdict.kind === 'admitted') return { operator: verdict.operator };
    if (verdict.isGuess) this.failures.count({ address, credential: authorization });
    throw unauthorized(verdict.detail);
  }

  /** @throws {ApiProblem} as `callerOf`, and 403 to a producer */
  async operatorOf(sent: Bearer): Promise<Operator> {
    const { operator } = await this.callerOf(sent);
    if (operator === undefined) throw forbidden('role', 'This token may write events, and do nothing else.');
    return operator;
  }

  private async judge(token: string): Promise<ProviderVerdict> {
    const operator = this.tokens.operatorOf(token);
    if (operator !== null) return { kind: 'admitted', operator };
    const { provider } = this;
    if (provider?.isWellFormed(token) === true) return provider.judge(token);
    return unknownToken;
  }
}
