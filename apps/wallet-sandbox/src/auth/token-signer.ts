import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Database } from '#platform';
import type { HttpRequest } from '../http/call.js';
import { refuse } from '../http/refusal.js';
import { statement } from '../store/database.js';

export interface TokenSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The only one that gets a token; null: any. */
  readonly scope: string | null;
  readonly ttlS: number;
  /** Kept in the database, so that tokens outlive a restart. */
  readonly signingKey: Uint8Array;
}

/** Verified tokens are remembered up to this many: a daemon uses one token for thousands of requests. */
const rememberedTokensMax = 1_000;

interface Claims {
  readonly client: string;
  readonly expiresAt: number;
  /** Digest of the secret that it was had with. */
  readonly proof: string;
}

/** Issues and checks access tokens: client, secret and expiry, signed. Nothing about them is stored. */
export class TokenSigner {
  private readonly remembered = new Map<string, number>();
  private clientSecret: string;

  constructor(private readonly settings: TokenSettings) {
    this.clientSecret = settings.clientSecret;
  }

  /** Seconds: as the client asks, at most as long as every token; `NaN`: it does not ask. */
  lifetimeS(askedS: number): number {
    return askedS > 0 ? Math.min(askedS, this.settings.ttlS) : this.settings.ttlS;
  }

  /** True for the one client this sandbox knows. */
  knows(clientId: string | undefined, clientSecret: string | undefined): boolean {
    return clientId === this.settings.clientId && clientSecret === this.clientSecret;
  }

  allows(scope: string | undefined): boolean {
    return this.settings.scope === null || scope === this.settings.scope;
  }

  /** From now on the client has another secret; what it got by the one before is worth nothing any more. */
  rotate(clientSecret: string): void {
    this.clientSecret = clientSecret;
    this.remembered.clear();
  }

  issue(nowMs: number, ttlS = this.settings.ttlS): string {
    const { clientId } = this.settings;
    const claims: Claims = { client: clientId, expiresAt: nowMs + ttlS * 1000, proof: this.proof() };
    const payload = Buffer.from(JSON.stringify({ ...claims, id: randomUUID() })).toString('base64url');
    return `${payload}.${this.sign(payload)}`;
  }

  /** True while a token of ours for this client and its secret has not expired. */
  accepts(token: string, nowMs: number): boolean {
    const expiresAt = this.remembered.get(token) ?? this.verify(token);
    if (expiresAt === null || expiresAt <= nowMs) return false;
    this.remember(token, expiresAt);
    return true;
  }

  private remember(token: string, expiresAt: number): void {
    if (this.remembered.size >= rememberedTokensMax) this.remembered.clear();
    this.remembered.set(token, expiresAt);
  }

  private verify(token: string): number | null {
    const [payload = '', signature = '', ...rest] = token.split('.');
    if (rest.length > 0) return null;
    const expected = Buffer.from(this.sign(payload));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    return claims.client === this.settings.clientId && claims.proof === this.proof() ? claims.expiresAt : null;
  }

  private proof(): string {
    return this.sign(this.clientSecret);
  }

  private sign(payload: string): string {
    return createHmac('sha256', this.settings.signingKey).update(payload).digest('base64url');
  }
}

const signingKeyBytes = 32;

const insertSigningKey = statement(
  'insert_signing_key',
  `INSERT INTO wallet_sandbox.signing_key (value) VALUES ($1) ON CONFLICT DO NOTHING`,
);
const selectSigningKey = statement('select_signing_key', `SELECT value FROM wallet_sandbox.signing_key`);

/** The key that signs access tokens, made on the first start and kept for ever. */
export async function loadSigningKey(database: Database): Promise<Uint8Array> {
  await database.execute(insertSigningKey, [randomBytes(signingKeyBytes)]);
  const { rows } = await database.execute<{ value: Uint8Array }>(selectSigningKey);
  const key = rows[0]?.value;
  if (key === undefined) throw new Error('the signing key vanished while starting');
  return key;
}

const scheme = 'Bearer ';

/** 401 for a missing, unknown or expired access token (partner-api.md section 5). */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly signer: TokenSigner) {}

  canActivate(context: ExecutionContext): boolean {
    const header = context.switchToHttp().getRequest<HttpRequest>().headers.authorization ?? '';
    if (!header.startsWith(scheme) || !this.signer.accepts(header.slice(scheme.length), Date.now())) {
      refuse(401, 'Unauthorized');
    }
    return true;
  }
}
