import { createHash } from 'node:crypto';

import { type Attempt, goToProvider, takeAttempt, tokenOfAnswer } from './oidc.js';

const issuer = 'https://id.example.com';
const page = 'https://console.example.com/ops/';
const provider = { issuer, clientId: 'console', scope: 'openid profile' };

interface Asked {
  readonly url: string;
  readonly body: URLSearchParams | null;
}

const stored = new Map<string, string>();
let asked: Asked[] = [];
let wentTo: URL | null = null;
/** What the provider puts into its ID token beside what is right. */
let wrongClaims: Readonly<Record<string, unknown>> = {};
let wrongIdToken: object = {};
/** In the place of what it answers. */
let instead: { readonly at: RegExp; readonly answer: () => Response } | null = null;

const idToken = (claims: object): string => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;

function answerOf(url: string): object {
  if (url.endsWith('/.well-known/openid-configuration')) {
    // With a slash, as some providers write themselves.
    return { issuer: `${issuer}/`, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
  }
  const nonce = wentTo?.searchParams.get('nonce');
  const claims = { iss: `${issuer}/`, aud: ['console'], nonce, ...wrongClaims };
  return { access_token: 'access', id_token: idToken(claims), ...wrongIdToken };
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
  fetch: async (url: string, { body }: { readonly body?: URLSearchParams }) => {
    asked.push({ url, body: body ?? null });
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
    stored.clear();
    asked = [];
    wrongClaims = {};
    wrongIdToken = {};
    instead = null;
    for (const [name, value] of Object.entries(fake)) {
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
  });

  afterAll(() => {
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

  it.each([{ nonce: 'another' }, { aud: 'another' }, { iss: 'https://another.example.com' }])(
    'takes no token with %j',
    async (claims) => {
      const asking = await attempt();
      wrongClaims = claims;
      const answer = new URLSearchParams({ code: 'c-1', state: asking.get('state') ?? '' });
      await expect(tokenFor(answer)).rejects.toThrow('not asked here');
    },
  );

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
