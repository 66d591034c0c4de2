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

/** Issues and checks access tokens: client and expiry, signed. Nothing about them is stored. */
export class TokenSigner {
  private readonly remembered = new Map<string, number>();

  constructor(private readonly settings: TokenSettings) {}

  get ttlS(): number {
    return this.settings.ttlS;
  }

  /** True for the one client this sandbox knows. */
  knows(clientId: string | undefined, clientSecret: string | undefined): boolean {
    return clientId === this.settings.clientId && clientSecret === this.settings.clientSecret;
  }

  issue(nowMs: number): string {
    const claims = { client: this.settings.clientId, id: randomUUID(), expiresAt: nowMs + this.settings.ttlS * 1000 };
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return `${payload}.${this.sign(payload)}`;
  }

  /** True while a token of ours for this client has not expired. */
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
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { client: string; expiresAt: number };
    return claims.client === this.settings.clientId ? claims.expiresAt : null;
  }

  private sign(payload: string): string {
    return createHmac('sha256', this.settings.signingKey).update(payload).digest('base64url');
  }
}
