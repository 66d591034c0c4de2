import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

export interface TokenSettings {
  readonly clientId: string;
  readonly clientSecret: string;
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

  get ttlS(): number {
    return this.settings.ttlS;
  }

  /** True for the one client this sandbox knows. */
  knows(clientId: string | undefined, clientSecret: string | undefined): boolean {
    return clientId === this.settings.clientId && clientSecret === this.clientSecret;
  }

  /** From now on the client has another secret; what it got by the one before is worth nothing any more. */
  rotate(clientSecret: string): void {
    this.clientSecret = clientSecret;
    this.remembered.clear();
  }

  issue(nowMs: number): string {
    const { clientId, ttlS } = this.settings;
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
