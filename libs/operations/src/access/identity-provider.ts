import type { JWTHeaderParameters, JWTVerifyGetKey, RemoteJWKSetOptions } from 'jose';
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

import type { OidcEnvironment } from '#contracts';
import { isSecureUrl, readJson } from '#contracts';
import type { Clock } from '#platform';
import { digest } from '#platform';

import { ApiProblem } from '../problems/api-problem.js';

/** Claims as a verified token has them. */
export type Claims = Readonly<Record<string, unknown>>;

/** What the provider has signed. */
export interface VerifiedToken {
  /** Its header's `typ`, where it has one. */
  readonly type: string | undefined;
  readonly claims: Claims;
}

/** The identity provider gives no usable answer; until it does no token can be verified. */
export class ProviderAwayError extends Error {
  override readonly name = 'ProviderAwayError';

  constructor(
    /** After so long it is asked again. */
    readonly retryAfterMs: number,
    cause?: unknown,
  ) {
    super('the identity provider does not answer', { cause });
  }
}

/** One document of the identity provider, from the request to its last byte. */
const documentTimeoutMs = 5_000;
/** A document may have so many bytes; key sets have some thousands. */
export const documentBytesMax = 1_048_576;
/** After a failure the provider is left alone for so long: while it is away, visitors cost it no requests. */
export const providerCooldownMs = 5_000;

const ok = 200;

/** @throws {RangeError} where it is larger than any such document should be */
async function bodyOf(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest of the answer.
    if (bytes > documentBytesMax) throw new RangeError('the document is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A document as it came, and what it says. */
interface ProviderDocument {
  readonly bytes: Buffer;
  readonly json: unknown;
}

/** Fetches what the identity provider publishes: encrypted or on this machine, bounded in time, size and depth, no redirects. */
class ProviderDocuments {
  private cooldownUntil = -Infinity;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** @throws {ProviderAwayError} whatever is wrong */
  async fetch(url: string): Promise<ProviderDocument> {
    const cooldownMs = this.cooldownUntil - this.clock.monotonic();
    if (cooldownMs > 0) throw new ProviderAwayError(cooldownMs);
    try {
      return await this.fetchNow(url);
    } catch (error) {
      throw this.away(error);
    }
  }

  /** What came cannot be used: the provider rests. */
  away(cause: unknown): ProviderAwayError {
    this.cooldownUntil = this.clock.monotonic() + providerCooldownMs;
    return new ProviderAwayError(providerCooldownMs, cause);
  }

  private async fetchNow(url: string): Promise<ProviderDocument> {
    if (!isSecureUrl(url)) throw new TypeError('a document of the provider must be https unless it is loopback');
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(documentTimeoutMs),
    });
    const bytes = await bodyOf(response);
    if (response.status !== ok) throw new TypeError(`the provider answered with status ${response.status}`);
    const read = readJson(bytes, documentBytesMax);
    if (!read.ok) throw new TypeError(`the provider's document cannot be read: ${read.detail}`);
    return { bytes, json: read.value };
  }
}

/** The part of OpenID Connect Discovery 1.0, section 3, that is needed here. */
const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.string() });

interface DiscoveredProvider {
  /** As its tokens name it. */
  readonly issuer: string;
  readonly keysUrl: URL;
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, '');
}

/**
 * Learns from the provider where its keys are, and how it spells its own name: with a slash at its end or without.
 * @throws {ProviderAwayError} also where it names another issuer
 */
async function discoverProvider(documents: ProviderDocuments, issuer: string): Promise<DiscoveredProvider> {
  const { json } = await documents.fetch(`${issuer}/.well-known/openid-configuration`);
  try {
    const metadata = metadataSchema.parse(json);
    if (withoutSlash(metadata.issuer) !== issuer) throw new TypeError('the provider names another issuer');
    return { issuer: metadata.issuer, keysUrl: new URL(metadata.jwks_uri) };
  } catch (error) {
    throw documents.away(error);
  }
}

/** Signatures looked at together: they share their threads with whatever else this process does beside its event loop. */
const checksAtOnceMax = 2;
/** Tokens that wait for that, for some tenths of a second: each takes 0.1 (RS256) to 0.2 ms (ES256). */
const checksWaitingMax = 1_000;

/** Signatures are verified one after the other: a client that sends many forged ones gets no more of the processor than that. */
class CheckQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @throws {ApiProblem} 503 where too many wait already */
  async run<Result>(check: () => Promise<Result>): Promise<Result> {
    await this.enter();
    try {
      return await check();
    } finally {
      this.leave();
    }
  }

  private async enter(): Promise<void> {
    if (this.running < checksAtOnceMax) {
      this.running += 1;
      return;
    }
    if (this.waiting.length >= checksWaitingMax) {
      const headers = { 'retry-after': '1' };
      throw new ApiProblem({ status: 503, code: 'too-many-tokens', title: 'Too many tokens at once', headers });
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** The next waiting verification takes the place. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next();
  }
}

/** Keys are read again at the latest after so long: a key that the provider has withdrawn counts no longer. */
const keysAgeMsMax = 600_000;
/** A token with a key that is not known makes us read the keys again, at most so often. */
const keysCooldownMs = 30_000;
/** By how much the provider's clock may differ from ours, in seconds. */
const clockToleranceSeconds = 30;

/** A token that was verified is not looked at again for so long, unless the keys are read anew meanwhile. */
const verifiedMs = 60_000;
const verifiedMax = 500;

/** Only what proves that the provider's private key made it: no shared secret, and never `none`. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

export interface IdentityProviderOptions extends OidcEnvironment {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** For tests. */
  readonly keysCooldownMs?: number;
}

interface Verified {
  readonly verified: VerifiedToken;
  /** By the monotonic clock. */
  readonly until: number;
}

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;
type FoundKey = Awaited<ReturnType<RemoteKeys>>;

interface Known {
  readonly issuer: string;
  readonly keys: JWTVerifyGetKey;
}

/** @throws {errors.JWTInvalid} */
function headerOf(token: string): JWTHeaderParameters {
  requireReadable(token);
  try {
    return decodeProtectedHeader(token) as JWTHeaderParameters;
  } catch {
    throw new errors.JWTInvalid('the head of the token cannot be read');
  }
}

/** Header and claims are JSON that anybody may have written: what they nest is bounded before anything walks them. */
function requireReadable(token: string): void {
  const [header = '', claims = ''] = token.split('.', 2);
  for (const part of [header, claims]) {
    const read = readJson(Buffer.from(part, 'base64url'));
    if (!read.ok) throw new errors.JWTInvalid(`the token cannot be read: ${read.detail}`);
  }
}

/** The token's own fault, not the provider's. */
function isAboutToken(error: unknown): boolean {
  return [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported].some(
    (kind) => error instanceof kind,
  );
}

/** The key set's fault, not that of one of its keys. */
function isAboutDocument(error: unknown): boolean {
  if (error instanceof ProviderAwayError) return true;
  const kinds = [errors.JWKSInvalid, errors.JWKSTimeout];
  return kinds.some((kind) => error instanceof kind) || (error as { code?: unknown }).code === errors.JOSEError.code;
}

/** The last moment that four digits of a year can tell (RFC 3339), in seconds: `exp` may be any number, even 1e308. */
const lastMomentSeconds = Date.parse('9999-12-31T23:59:59Z') / 1_000;

const isMoment = (seconds: unknown): boolean => typeof seconds === 'number' && seconds <= lastMomentSeconds;

/** Verifies tokens of an OpenID Connect provider by the keys it publishes, which are read when they are first needed. */
export class IdentityProvider {
  private readonly documents: ProviderDocuments;
  private readonly checks = new CheckQueue();
  /** By the token's digest. */
  private readonly verified = new LRUCache<string, Verified>({ max: verifiedMax });
  private known: Promise<Known> | null = null;

  constructor(private readonly options: IdentityProviderOptions) {
    this.documents = new ProviderDocuments(options.clock);
  }

  /**
   * What a token says that the provider has made for us and that holds now.
   * @throws {errors.JOSEError} where it is not
   * @throws {ProviderAwayError} where that cannot be told
   */
  async verify(token: string): Promise<VerifiedToken> {
    const { clock } = this.options;
    const key = digest(token).toString('base64');
    const known = this.verified.get(key);
    if (known !== undefined && clock.monotonic() < known.until && !this.hasEnded(known.verified)) return known.verified;
    const verified = await this.check(token);
    this.verified.set(key, { verified, until: clock.monotonic() + verifiedMs });
    return verified;
  }

  private hasEnded({ claims: { exp } }: VerifiedToken): boolean {
    return typeof exp !== 'number' || this.options.clock.now() >= exp * 1_000;
  }

  private async check(token: string): Promise<VerifiedToken> {
    const { audience, clock } = this.options;
    const { issuer, keys } = await this.provider();
    // Other tokens do not wait for a key that must be fetched.
    const key = await keys(headerOf(token), { payload: '', signature: '' });
    return this.checks.run(async () => {
      const { payload, protectedHeader } = await jwtVerify(token, key, {
        issuer,
        audience,
        algorithms,
        requiredClaims: ['exp'],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(clock.now()),
      });
      if (!isMoment(payload.exp)) throw new errors.JWTClaimValidationFailed('its end is no moment', payload, 'exp');
      return { type: protectedHeader.typ, claims: payload };
    });
  }

  private provider(): Promise<Known> {
    this.known ??= this.discover();
    return this.known;
  }

  private async discover(): Promise<Known> {
    try {
      const { issuer, keysUrl } = await discoverProvider(this.documents, this.options.issuer);
      return this.keysOf(issuer, keysUrl);
    } catch (error) {
      this.known = null;
      throw error;
    }
  }

  private keysOf(issuer: string, url: URL): Known {
    const options: RemoteJWKSetOptions = {
      timeoutDuration: documentTimeoutMs,
      cacheMaxAge: keysAgeMsMax,
      cooldownDuration: this.options.keysCooldownMs ?? keysCooldownMs,
      [customFetch]: async (address) => {
        // A key may have been withdrawn: what it has signed is looked at again.
        this.verified.clear();
        const { bytes } = await this.documents.fetch(address);
        return new Response(new Uint8Array(bytes));
      },
    };
    const remote = createRemoteJWKSet(url, options);
    const keys: JWTVerifyGetKey = async (header, token) => {
      const find = async (): Promise<FoundKey> => remote(header, token);
      try {
        return await find().catch((error: unknown) => this.findAnew(error, remote, find));
      } catch (error) {
        throw isAboutToken(error) ? error : this.lost(error, remote.fresh);
      }
    };
    return { issuer, keys };
  }

  /**
   * A key that is at hand and cannot be used may have been mended: then its set is read again, as for a key that is not known.
   * The others are used meanwhile, and the provider is not left alone: whoever names that key would keep everybody from it.
   */
  private async findAnew(error: unknown, remote: RemoteKeys, find: () => Promise<FoundKey>): Promise<FoundKey> {
    if (!remote.fresh || isAboutToken(error) || isAboutDocument(error)) throw error;
    const unusable = new ProviderAwayError(this.options.keysCooldownMs ?? keysCooldownMs, error);
    if (remote.coolingDown) throw unusable;
    await remote.reload();
    return find().catch((failure: unknown) => {
      throw isAboutToken(failure) ? failure : unusable;
    });
  }

  /** Without keys nothing holds on to where they were: they may have moved. Those at hand are kept for other tokens. */
  private lost(error: unknown, hasKeys: boolean): ProviderAwayError {
    if (!hasKeys) this.known = null;
    return error instanceof ProviderAwayError ? error : this.documents.away(error);
  }
}
