import { createRemoteJWKSet, customFetch, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { JWTHeaderParameters, JWTVerifyGetKey, RemoteJWKSetOptions } from 'jose';
import { LRUCache } from 'lru-cache';

import type { OidcEnvironment } from '#contracts';
import type { Clock } from '#platform';
import { digest } from '#platform';

import { CheckQueue } from './check-queue.js';
import { discoverProvider } from './discover-provider.js';
import { ProviderAwayError } from './provider-away-error.js';
import { documentTimeoutMs, ProviderDocuments } from './provider-documents.js';
import type { Claims } from './read-claims.js';

/** Keys are read again at the latest after so long: a key that the provider has withdrawn counts no longer. */
export const keysAgeMsMax = 600_000;
/** A token with a key that is not known makes us read the keys again, at most so often. */
export const keysCooldownMs = 30_000;
/** By how much the provider's clock may differ from ours, in seconds. */
export const clockToleranceSeconds = 30;

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
  readonly claims: Claims;
  /** By the monotonic clock. */
  readonly until: number;
}

interface Known {
  readonly issuer: string;
  readonly keys: JWTVerifyGetKey;
}

/** @throws {errors.JWTInvalid} */
function headerOf(token: string): JWTHeaderParameters {
  try {
    return decodeProtectedHeader(token) as JWTHeaderParameters;
  } catch {
    throw new errors.JWTInvalid('the head of the token cannot be read');
  }
}

/** The token's own fault, not the provider's. */
function isAboutToken(error: unknown): boolean {
  return [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported].some(
    (kind) => error instanceof kind,
  );
}

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
   * The claims of a token that the provider has made for us and that holds now.
   * @throws {errors.JOSEError} where it is not
   * @throws {ProviderAwayError} where that cannot be told
   */
  async verify(token: string): Promise<Claims> {
    const { clock } = this.options;
    const key = digest(token).toString('base64');
    const known = this.verified.get(key);
    if (known !== undefined && clock.monotonic() < known.until && !this.hasEnded(known.claims)) return known.claims;
    const claims = await this.check(token);
    this.verified.set(key, { claims, until: clock.monotonic() + verifiedMs });
    return claims;
  }

  private hasEnded({ exp }: Claims): boolean {
    return typeof exp !== 'number' || this.options.clock.now() >= exp * 1_000;
  }

  private async check(token: string): Promise<Claims> {
    const { audience, clock } = this.options;
    const { issuer, keys } = await this.provider();
    // Nobody else waits for a key that has to be asked for.
    const key = await keys(headerOf(token), { payload: '', signature: '' });
    return this.checks.run(async () => {
      const { payload } = await jwtVerify(token, key, {
        issuer,
        audience,
        algorithms,
        requiredClaims: ['exp'],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(clock.now()),
      });
      return payload;
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
      [customFetch]: (address) => {
        // A key may have been withdrawn: what it has signed is looked at again.
        this.verified.clear();
        return this.documents.fetch(address);
      },
    };
    const remote = createRemoteJWKSet(url, options);
    const keys: JWTVerifyGetKey = async (header, token) => {
      try {
        return await remote(header, token);
      } catch (error) {
        throw isAboutToken(error) ? error : this.lost(error, remote.fresh);
      }
    };
    return { issuer, keys };
  }

  /** Without keys nothing holds on to where they were: they may have moved. Those at hand are kept for other tokens. */
  private lost(error: unknown, hasKeys: boolean): ProviderAwayError {
    if (!hasKeys) this.known = null;
    return error instanceof ProviderAwayError ? error : this.documents.away(error);
  }
}
