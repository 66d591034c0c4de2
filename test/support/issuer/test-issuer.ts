import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { JWK, JWTPayload } from 'jose';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

interface SigningKey {
  readonly id: string;
  readonly privateKey: PrivateKey;
  readonly publicKey: JWK;
}

export const testAudience = 'loyaltyd-operations';

async function newKey(id: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return { id, privateKey, publicKey: { ...(await exportJWK(publicKey)), kid: id, alg: 'ES256', use: 'sig' } };
}

/** An OpenID Connect provider on this machine, as far as its discovery, its keys and its tokens go. */
export class TestIssuer {
  /** Requests for its keys so far. */
  keyRequests = 0;
  /** What its discovery says besides, or instead. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** Asked first; true: it has answered, or will. */
  handler: ((request: IncomingMessage, response: ServerResponse) => boolean) | null = null;
  private server: Server | null = null;
  private keys: SigningKey[] = [];
  private keysMade = 0;
  private port = 0;

  /** Listening; the caller must `goDown` at the end. */
  static async start(): Promise<TestIssuer> {
    const issuer = new TestIssuer();
    await issuer.rotate();
    await issuer.comeUp();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** As the key set has them. */
  get publicKeys(): readonly JWK[] {
    return this.keys.map(({ publicKey }) => publicKey);
  }

  /** From now on it signs with a new key, and publishes no other. */
  async rotate(): Promise<void> {
    this.keysMade += 1;
    this.keys = [await newKey(`key-${this.keysMade}`)];
  }

  /**
   * A token that holds for an hour, with these claims over and above the usual ones.
   * @param typ null: its header says nothing about it
   */
  async token(claims: JWTPayload = {}, typ: string | null = 'JWT'): Promise<string> {
    const [key] = this.keys;
    if (key === undefined) throw new Error('the issuer has no key');
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: this.url, aud: testAudience, sub: 'somebody', iat: now, exp: now + 3_600, roles: ['viewer'] };
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: key.id, ...(typ === null ? {} : { typ }) })
      .sign(key.privateKey);
  }

  /** Where it was before, if it was. */
  async comeUp(): Promise<void> {
    this.server = createServer((request, response) => {
      this.answer(request, response);
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Nobody listens there any more. */
  async goDown(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.handler?.(request, response) === true) return;
    const document = this.documentAt(request.url ?? '');
    response.writeHead(document === null ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document));
  }

  private documentAt(path: string): unknown {
    if (path === '/.well-known/openid-configuration') {
      return { issuer: this.url, jwks_uri: `${this.url}/keys`, ...this.metadata };
    }
    if (path !== '/keys') return null;
    this.keyRequests += 1;
    return { keys: this.publicKeys };
  }
}
