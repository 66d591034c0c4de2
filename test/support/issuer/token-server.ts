import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import type { IssuedCertificate } from '../network/test-authority.js';

interface Asked {
  readonly authorization: string | undefined;
  readonly form: Readonly<Record<string, string>>;
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * An OAuth 2.0 token endpoint that knows one client, by HTTP Basic or in the form. Its tokens are unsecured JWS, as Kafka's own
 * validator of `OAuthBearerLoginModule` takes them: brokers end a session with its token.
 */
export class TokenServer {
  readonly asked: Asked[] = [];
  lifetimeSeconds = 3_600;
  secret = 'token-secret';
  /** Answers every request with that status instead; null: as it should. */
  refusal: number | null = null;
  /** Whom tokens are made out to. */
  subject = 'loyaltyd';

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param certificate for TLS, good for localhost */
  static async start(certificate?: IssuedCertificate): Promise<TokenServer> {
    const server = certificate === undefined ? createServer() : createTlsServer(certificate);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const scheme = certificate === undefined ? 'http' : 'https';
    const tokens = new TokenServer(server, `${scheme}://localhost:${port}/token`);
    server.on('request', (request, response) => void tokens.answer(request, response));
    return tokens;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    const { authorization } = request.headers;
    this.asked.push({ authorization, form });
    const status = this.refusal ?? (this.knows({ authorization, form }) ? 200 : 401);
    const body = status === 200 ? this.grant() : { error: 'invalid_client', error_description: authorization };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private knows({ authorization, form }: Asked): boolean {
    const basic = `Basic ${Buffer.from(`loyaltyd:${this.secret}`).toString('base64')}`;
    return authorization === basic || (form['client_id'] === 'loyaltyd' && form['client_secret'] === this.secret);
  }

  private grant(): object {
    const now = Math.floor(Date.now() / 1_000);
    const claims = { sub: this.subject, iat: now, exp: now + this.lifetimeSeconds };
    const token = `${part({ alg: 'none' })}.${part(claims)}.`;
    return { access_token: token, expires_in: this.lifetimeSeconds, token_type: 'Bearer' };
  }
}
