import { createHash } from 'node:crypto';

import { type Attempt, goToProvider, takeAttempt, tokenOfAnswer } from './oidc.js';

const issuer = 'https://id.example.com';
const page = 'https://console.example.com/ops/';
const provider = { issuer, clientId: 'console', scope: 'openid profile' };

interface Asked {
  readonly credentials: RequestCredentials | undefined;
  readonly redirect: RequestRedirect | undefined;
  readonly url: string;
  readonly body: URLSearchParams | null;
}

const stored = new Map<string, string>();
let asked: Asked[] = [];
let wentTo: URL | null = null;
/** What the provider puts into its ID token beside what is right. */
let wrongClaims: Readonly<Record<string, unknown>> = {};
let wrongIdToken: object = {};
/** What it says of itself beside what is right. */
let otherMetadata: Readonly<Record<string, unknown>> = {};
/** In the place of what it answers. */
let instead: { readonly at: RegExp; readonly answer: () => Response } | null = null;

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const idToken = (claims: object): string => `${encoded({ alg: 'ES256' })}.${encoded(claims)}.signature`;
const now = Date.parse('2026-11-27T12:00:00Z');
/** Seconds, as claims have them. */
const inSeconds = (seconds: number): number => now / 1_000 + seconds;

function answerOf(url: string): object {
  if (url.endsWith('/.well-known/openid-configuration')) {
    // With a slash, as some providers write themselves.
    const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
    return { issuer: `${issuer}/`, ...endpoints, ...otherMetadata };
  }
  const nonce = wentTo?.searchParams.get('nonce');
  const usual = { iss: `${issuer}/`, aud: ['console'], sub: 'ada', iat: inSeconds(0), exp: inSeconds(300), nonce };
  return {
    ...{
      access_token: 'access',
      token_type: 'Bearer',
      expires_in: 300,
      id_token: idToken({ ...usual, ...wrongClaims }),
    },
    ...wrongIdToken,
  };
}

const fake = {
  isSecureContext: true,
  sessionStorage: {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  },
  document: { baseURI: page },
  location: {
    origin: 'https://console.example.com',
    pathname: '/ops/audit',
    search: '?actor=ada',
    assign: (url: URL) => {
      wentTo = url;
    },
  },
  fetch: async (url: string, { body, credentials, redirect }: RequestInit & { readonly body?: URLSearchParams }) => {
    asked.push({ url, body: body ?? null, ...{ credentials, redirect } });
    if (instead?.at.test(url) === true) return instead.answer();
    return Response.json(answerOf(url));
  },
};

/** As the page does with what it comes back with; null: there was no such attempt. */
async function tokenFor(answer: URLSearchParams): Promise<string | null> {
  const attempted = takeAttempt(answer.get('state'));
  return attempted && tokenOfAnswer(answer, attempted);
}

async function attempt(): Promise<URLSearchParams> {
  await goToProvider(provider);
  return wentTo?.searchParams ?? new URLSearchParams();
}

describe('signing in at an identity provider', () => {
  const before = new Map(Object.keys(fake).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));

  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(now);
    stored.clear();
    asked = [];
    wrongClaims = {};
    wrongIdToken = {};
    otherMetadata = {};
    instead = null;
    for (const [name, value] of Object.entries(fake)) {
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
  });

  afterAll(() => {
    jest.restoreAllMocks();
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
  });

  it('asks for a code with a challenge, and for another state and nonce each time', async () => {
    const first = await attempt();
    const second = await attempt();
    expect(Object.fromEntries(first)).toMatchObject({
      response_type: 'code',
      client_id: 'console',
      redirect_uri: page,
      scope: 'openid profile',
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(first.get(name)).toMatch(/^[\w-]{43}$/);
      expect(first.get(name)).not.toBe(second.get(name));
    }
  });

  it('gives the code and the verifier of the challenge for a token, once', async () => {
    const asking = await attempt();
    const answer = new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '', iss: issuer });
    expect([...stored.values()].map((text) => (JSON.parse(text) as Attempt).returnTo)).toEqual([
      'https://console.example.com/ops/audit?actor=ada',
    ]);
    expect(await tokenFor(answer)).toBe('access');
    const sent = asked.at(-1)?.body;
    expect(sent?.get('redirect_uri')).toBe(page);
    const challenge = createHash('sha256')
      .update(sent?.get('code_verifier') ?? '')
      .digest('base64url');
    expect(challenge).toBe(asking.get('code_challenge'));
    expect(await tokenFor(answer)).toBeNull();
  });

  it('keeps what it began apart from another console of the same origin', async () => {
    await attempt();
    expect([...stored.keys()]).toEqual(['loyaltyd.sign-in /ops/']);
  });

  const missing = (claim: string): Readonly<Record<string, unknown>> => ({ [claim]: undefined });

  // OpenID Connect Core, 3.1.3.7.
  it.each([
    ...[{ nonce: 'another' }, { nonce: '' }, { nonce: null }, { aud: 'another' }, { aud: ['another'] }],
    ...[{ iss: 'https://another.example.com' }, { iss: `${issuer}//` }, { iss: `${issuer}/realm` }],
    // Other audiences only where it was made for us.
    ...[{ aud: ['console', 'another'] }, { aud: ['console', 'another'], azp: 'another' }, { azp: 'another' }],
    ...[
      { exp: inSeconds(-60) },
      { exp: 'never' },
      { exp: null },
      { iat: 'today' },
      { nbf: inSeconds(600) },
      { sub: 7 },
    ],
  ] as const)('takes no token with %j', async (claims) => {
    const asking = await attempt();
    wrongClaims = claims;
    const answer = new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '' });
    await expect(tokenFor(answer)).rejects.toThrow(/^The identity provider .*not asked here/);
  });

  it.each(['nonce', 'aud', 'iss', 'exp', 'iat', 'sub'])('takes no token without %s', async (claim) => {
    const asking = await attempt();
    wrongClaims = missing(claim);
    const answer = new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '' });
    await expect(tokenFor(answer)).rejects.toThrow(/^The identity provider .*not asked here/);
  });

  it.each([
    { aud: 'console' },
    { aud: ['console', 'another'], azp: 'console' },
    // Clocks differ.
    { exp: inSeconds(-10), nbf: inSeconds(10) },
    { iss: issuer },
  ])('takes one with %j', async (claims) => {
    const asking = await attempt();
    wrongClaims = claims;
    expect(await tokenFor(new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '' }))).toBe('access');
  });

  it.each([
    ['https://id.example.com/realms/a', 'https://id.example.com/realms/a'],
    ['https://id.example.com/realms/a', 'https://id.example.com/realms/a/'],
    ['https://id.example.com/realms/a/', 'https://id.example.com/realms/a'],
  ])('knows %s that calls itself %s', async (configured, called) => {
    [otherMetadata, wrongClaims] = [{ issuer: called }, { iss: called }];
    await goToProvider({ ...provider, issuer: configured });
    const { searchParams } = wentTo ?? new URL(page);
    const answer = new URLSearchParams({ code: 'c-1', state: searchParams.get('state') ?? '', iss: called });
    expect(await tokenFor(answer)).toBe('access');
    expect(asked.map(({ url }) => url)).toContain('https://id.example.com/realms/a/.well-known/openid-configuration');
  });

  it('sends no cookies, and follows nowhere', async () => {
    const asking = await attempt();
    await tokenFor(new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '' }));
    expect(asked).toHaveLength(3);
    for (const { credentials, redirect } of asked) expect([credentials, redirect]).toEqual(['omit', 'manual']);
  });

  it.each([
    [{ issuer: 'https://another.example.com' }, /says that it is another one/],
    [{ issuer: undefined }, /does not answer at/],
    // A page would run that.
    [{ authorization_endpoint: 'javascript:alert(1)' }, /names no page on which to sign in/],
    [{ authorization_endpoint: 'http://id.example.com/authorize' }, /names no page on which to sign in/],
    [{ authorization_endpoint: undefined }, /names no page on which to sign in/],
  ])('goes nowhere where the provider says of itself %j', async (metadata, why) => {
    otherMetadata = metadata;
    wentTo = null;
    await expect(goToProvider(provider)).rejects.toThrow(why);
    expect([wentTo, stored.size]).toEqual([null, 0]);
  });

  it.each([undefined, 'http://id.example.com/token', 'https://id.example.net/token'])(
    'gives its code to nobody but the issuer itself: not to %s',
    async (endpoint) => {
      const asking = await attempt();
      otherMetadata = { token_endpoint: endpoint };
      const answer = new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '' });
      await expect(tokenFor(answer)).rejects.toThrow(/^The identity provider names no token endpoint/);
      expect(asked.filter(({ url }) => url.endsWith('/token'))).toEqual([]);
    },
  );

  it('takes no answer without the issuer’s name where the provider says that it gives it', async () => {
    const asking = await attempt();
    otherMetadata = { authorization_response_iss_parameter_supported: true };
    const answer = new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '' });
    await expect(tokenFor(answer)).rejects.toThrow(/Another identity provider answered/);
    expect(asked.filter(({ url }) => url.endsWith('/token'))).toEqual([]);
  });

  it.each([
    [{ code: 'c-1', iss: 'https://another.example.com' }, 'Another identity provider'],
    [{ error: 'access_denied', error_description: 'not you' }, 'not you'],
  ])('refuses %j without asking for a token', async (parts, why) => {
    const asking = await attempt();
    const answer = new URLSearchParams({ state: asking.get('state') ?? '', ...(parts as Record<string, string>) });
    await expect(tokenFor(answer)).rejects.toThrow(why);
    expect(asked.filter(({ url }) => url.endsWith('/token'))).toEqual([]);
  });

  it('knows no answer to what was not begun here, and forgets what was', async () => {
    const asking = await attempt();
    expect(await tokenFor(new URLSearchParams({ code: 'c-1', state: 'another' }))).toBeNull();
    expect(await tokenFor(new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '' }))).toBeNull();
    expect(asked.filter(({ url }) => url.endsWith('/token'))).toEqual([]);
  });

  it.each([
    [{ access_token: undefined }, 'gave no access token'],
    [{ access_token: '' }, 'gave no access token'],
    [{ id_token: undefined }, 'sent no ID token. Does the scope hold openid'],
    [{ token_type: 'mac' }, 'gave no token for its code'],
  ])('says so where the provider answers %j', async (wrong, why) => {
    const asking = await attempt();
    wrongIdToken = wrong;
    const answer = new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '' });
    await expect(tokenFor(answer)).rejects.toThrow(`The identity provider ${why}`);
  });

  it.each([null, 'no.token.at all', 'a.b'])('says in words that %j is no ID token', async (wrong) => {
    const asking = await attempt();
    wrongIdToken = { id_token: wrong };
    const answer = new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '' });
    await expect(tokenFor(answer)).rejects.toThrow(/^The identity provider /);
  });

  const isAway = (): never => {
    throw new TypeError('Failed to fetch');
  };
  const isLate = (): never => {
    throw new DOMException('signal timed out', 'TimeoutError');
  };
  const discovery = /openid-configuration$/;

  it.each([
    ['is away, or does not let the page ask it', isAway, /does not answer at .*\. It may be away, or .* \(CORS\)/],
    ['takes too long', isLate, /did not answer within 10 seconds at .*openid-configuration\. Sign in again/],
  ])('goes nowhere, and says so, where the provider %s', async (_what, answer, why) => {
    instead = { at: discovery, answer };
    await expect(goToProvider(provider)).rejects.toThrow(why);
    instead = null;
    expect([...(await attempt()).keys()]).toContain('state');
  });

  it.each([
    [
      'refuses the code',
      () => Response.json({ error: 'invalid_grant' }, { status: 400 }),
      /gave no token for its code/,
    ],
    ['answers with a page', () => new Response('<html>Maintenance</html>'), /gave no token for its code/],
    ['fails', () => new Response('', { status: 503 }), /gave no token for its code/],
    ['takes too long', isLate, /did not answer within 10 seconds at .*token\. Sign in again/],
  ])('says so where the token endpoint %s', async (_what, answer, why) => {
    const asking = await attempt();
    instead = { at: /token$/, answer };
    await expect(tokenFor(new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '' }))).rejects.toThrow(why);
  });

  it('says so where the provider goes away between its answer and the token', async () => {
    const asking = await attempt();
    instead = { at: discovery, answer: isAway };
    const answer = new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '' });
    await expect(tokenFor(answer)).rejects.toThrow(/^The identity provider does not answer at/);
  });
});
