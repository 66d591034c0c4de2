import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { TestIssuer } from './test-issuer.js';

/** A public client as somebody has registered it at the provider. */
interface RegisteredClient {
  readonly id: string;
  readonly redirectUri: string;
  /** Whose pages may ask the token endpoint. */
  readonly origin: string;
}

interface Grant {
  readonly query: URLSearchParams;
  isUsed: boolean;
}

const pkceText = /^[\w-]{43}$/;
const codeBytes = 16;
const htmlType = { 'content-type': 'text/html; charset=utf-8' };
const jsonType = { 'content-type': 'application/json' };

const digestOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/**
 * An OpenID Connect provider where people log in by authorization code with PKCE (RFC 6749, 7636, 9207). It has one client
 * without a secret and is strict: what is not exactly right is refused, and stands in `refusals`.
 */
export class LoginProvider {
  /** Why it refused, one line each. */
  readonly refusals: string[] = [];
  /** Tokens given so far. */
  tokensGiven = 0;
  /** Claims of the next access tokens over and above the usual ones. */
  claims: Readonly<Record<string, unknown>> = {};
  private readonly grants = new Map<string, Grant>();
  private client: RegisteredClient | null = null;

  private constructor(readonly issuer: TestIssuer) {
    issuer.handler = (request, response) => this.answer(request, response);
  }

  /** Listening; the caller must `issuer.goDown` at the end. */
  static async start(): Promise<LoginProvider> {
    return new LoginProvider(await TestIssuer.start());
  }

  register(client: RegisteredClient): void {
    this.client = client;
    const { url } = this.issuer;
    this.issuer.metadata = { authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` };
  }

  private answer(request: IncomingMessage, response: ServerResponse): boolean {
    response.setHeader('access-control-allow-origin', this.client?.origin ?? 'null');
    const { pathname, searchParams } = new URL(request.url ?? '', this.issuer.url);
    if (pathname === '/authorize') this.askPerson(searchParams, response);
    else if (pathname === '/token') void this.giveToken(request, response);
    else return false;
    return true;
  }

  private refuse(response: ServerResponse, error: string, because: string): void {
    this.refusals.push(`${error}: ${because}`);
    response.writeHead(400, jsonType).end(JSON.stringify({ error, error_description: because }));
  }

  /** The page on which somebody says yes or no. An error here must not go back to an address that nobody registered. */
  private askPerson(query: URLSearchParams, response: ServerResponse): void {
    const wrong = this.wrongInRequest(query);
    if (wrong !== null) {
      this.refuse(response, 'invalid_request', wrong);
      return;
    }
    const code = randomBytes(codeBytes).toString('base64url');
    this.grants.set(code, { query, isUsed: false });
    const back = (answer: Readonly<Record<string, string>>): string => {
      const state = query.get('state') ?? '';
      return `${query.get('redirect_uri')}?${new URLSearchParams({ ...answer, state, iss: this.issuer.url }).toString()}`;
    };
    const no = back({ error: 'access_denied', error_description: 'The person said no' });
    const links = [`<a href="${back({ code })}">Yes</a>`, `<a href="${no}">No</a>`].join(' ');
    const html = `<!doctype html><title>Log in</title><h1>Log in</h1>${links.replaceAll('&', '&amp;')}`;
    response.writeHead(200, htmlType).end(html);
  }

  private wrongInRequest(query: URLSearchParams): string | null {
    const wanted: Readonly<Record<string, RegExp | string | undefined>> = {
      response_type: 'code',
      client_id: this.client?.id,
      redirect_uri: this.client?.redirectUri,
      scope: /(?:^| )openid(?: |$)/,
      state: pkceText,
      nonce: pkceText,
      code_challenge: pkceText,
      code_challenge_method: 'S256',
    };
    const isRight = (value: string | null, rule: RegExp | string | undefined): boolean =>
      value !== null && (rule instanceof RegExp ? rule.test(value) : value === rule);
    const [wrong] = Object.entries(wanted).filter(([name, rule]) => !isRight(query.get(name), rule));
    return wrong === undefined ? null : `${wrong[0]} is ${query.get(wrong[0])}`;
  }

  private async giveToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await text(request));
    const grant = this.grants.get(body.get('code') ?? '');
    const wrong = this.wrongInExchange(request, body, grant);
    if (grant === undefined || wrong !== null) {
      this.refuse(response, 'invalid_grant', wrong ?? 'no such code');
      return;
    }
    grant.isUsed = true;
    this.tokensGiven += 1;
    const [scope, nonce] = [grant.query.get('scope') ?? '', grant.query.get('nonce') ?? ''];
    const client = this.client?.id ?? '';
    const answer = {
      access_token: await this.issuer.token({ azp: client, scope, preferred_username: 'ada', ...this.claims }),
      id_token: await this.issuer.token({ aud: client, nonce, preferred_username: 'ada' }),
      token_type: 'Bearer',
      expires_in: 3_600,
    };
    response.writeHead(200, { ...jsonType, 'cache-control': 'no-store' }).end(JSON.stringify(answer));
  }

  private wrongInExchange(
    { method, headers }: IncomingMessage,
    body: URLSearchParams,
    grant: Grant | undefined,
  ): string | null {
    const { client } = this;
    const rules: readonly (readonly [boolean, string])[] = [
      [method === 'POST', `the method is ${method}`],
      [headers.origin === client?.origin, `the origin is ${headers.origin}`],
      [headers.authorization === undefined && !body.has('client_secret'), 'a public client has no secret'],
      [headers.cookie === undefined, 'there is a cookie'],
      [body.get('grant_type') === 'authorization_code', `the grant type is ${body.get('grant_type')}`],
      [body.get('client_id') === client?.id, `the client is ${body.get('client_id')}`],
      [grant !== undefined, 'no such code'],
      [grant?.isUsed !== true, 'the code was used before'],
      [body.get('redirect_uri') === client?.redirectUri, `the redirect address is ${body.get('redirect_uri')}`],
      [
        digestOf(body.get('code_verifier') ?? '') === grant?.query.get('code_challenge'),
        'the verifier is not that of the challenge',
      ],
    ];
    return rules.find(([isRight]) => !isRight)?.[1] ?? null;
  }
}
