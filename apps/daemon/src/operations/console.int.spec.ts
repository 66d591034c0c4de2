import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import type { AccessSettings, ConsoleSettings } from '#operations';
import { LoginLinks } from '#operations';
import { testAudience, TestIssuer } from '#test-support';

import { OperatorsDoor, roles } from './testing/operators-door.js';

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Asked {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const page = '<base href="%CONSOLE_BASE%"><meta name="csp-nonce" content="%CONSOLE_NONCE%">';
const script = 'assets/index-Ab3_-f9x.js';
const limit = ['coffee-club', 'till-club'];

let folder: string;
let door: OperatorsDoor;
let absences: number;

async function open(
  changed: Partial<ConsoleSettings> = {},
  access: Partial<AccessSettings> = {},
  onWritten = (): void => undefined,
): Promise<void> {
  const onAbsent = (): void => void (absences += 1);
  const console = { folder, basePath: '/', version: '1.2.3', docsUrl: null, loginLinks: null, onAbsent, ...changed };
  door = await OperatorsDoor.open({ limits: { two: limit }, console, access, onWritten });
}

/** The address is sent as it is written here. */
async function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = request(await door.url, { path, method, headers: { connection: 'close', ...type, ...headers } });
  sent.end(body && JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

const as = (token: string): Asked => ({ headers: { authorization: `Bearer ${token}` } });
const problemOf = ({ status, headers, body }: Answer): object => {
  const { type } = JSON.parse(body) as { readonly type: string };
  return { status, type, contentType: headers['content-type'] };
};
const problem = (status: number, code: string): object => {
  return { status, type: `urn:loyaltyd:problem:${code}`, contentType: 'application/problem+json; charset=utf-8' };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loyaltyd-console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), page);
  for (const name of [script, `${script}.br`, `${script}.gz`, 'assets/licences.txt', 'robots.txt']) {
    await writeFile(join(folder, name), name);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(() => (absences = 0));

afterEach(() => door.close());

describe('the console', () => {
  it('has its page at the root and wherever one is in it, for anybody, another one each time', async () => {
    await open();
    const paths = ['/', '/intents', '/members/coffee-club/ada@example.org', '/intents?status=parked', '/apiary'];
    const nonces = new Set<string>();
    for (const path of paths) {
      const { status, headers, body } = await ask(path);
      const nonce = /content="([\w+/]{22}==)"/.exec(body)?.[1] ?? 'none';
      nonces.add(nonce);
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-store',
      ]);
      expect(body).toBe(`<base href="/"><meta name="csp-nonce" content="${nonce}">`);
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'`,
      );
    }
    expect(nonces.size).toBe(paths.length);
  });

  it('shows its page in no frame, to no other window, and tells nobody where one came from', async () => {
    await open();
    for (const path of ['/', `/${script}`]) {
      const { headers } = await ask(path);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': expect.stringContaining('camera=(), ') as string,
        'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/) as string,
      });
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  it('lets its page talk to the provider only where that logs people in to it', async () => {
    const oidc = { issuer: 'https://id.example/realms/shop', audience: 'a', roleClaim: 'roles', programsClaim: null };
    await open({}, { oidc: { ...oidc, clients: [], console: null } });
    expect((await ask('/')).headers['content-security-policy']).toContain("connect-src 'self';");
    await door.close();
    await open({}, { oidc: { ...oidc, clients: [], console: { clientId: 'console', scope: 'openid' } } });
    expect((await ask('/')).headers['content-security-policy']).toContain("connect-src 'self' https://id.example;");
  });

  it.each([
    [{}, undefined, script],
    [{ 'accept-encoding': 'gzip, br' }, 'br', `${script}.br`],
    [{ 'accept-encoding': 'gzip' }, 'gzip', `${script}.gz`],
  ])('has its files kept for ever, and sent as the browser takes them: %j', async (headers, coding, body) => {
    await open();
    const answer = await ask(`/${script}`, { headers });
    expect(answer).toMatchObject({ status: 200, body });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': String(body.length),
      vary: 'accept-encoding',
    });
    expect(answer.headers['content-encoding']).toBe(coding);
    const { 'x-request-id': _name, date: _date, ...same } = answer.headers;
    const head = await ask(`/${script}`, { method: 'HEAD', headers });
    expect(head).toMatchObject({ status: 200, headers: same, body: '' });
  });

  it.each(['/robots.txt', '/assets/licences.txt'])('has %s asked for again each time: its name stays', async (path) => {
    await open();
    const { status, headers } = await ask(path);
    expect([status, headers['cache-control'], headers.vary]).toEqual([200, 'no-cache', undefined]);
  });

  it('answers HEAD as GET, without the page', async () => {
    await open();
    const { status, headers, body } = await ask('/intents', { method: 'HEAD' });
    expect([status, body]).toEqual([200, '']);
    expect(Number(headers['content-length'])).toBe(page.length - '%CONSOLE_BASE%%CONSOLE_NONCE%'.length + 25);
  });

  it.each([
    '/assets/../../../../etc/passwd',
    '/assets/..%2f..%2f..%2fetc%2fpasswd',
    '/../etc/passwd',
    '/%2e%2e/%2E%2e/etc/passwd',
    '/.%2e/etc/passwd',
    '/intents/../../etc/passwd',
    '/assets/',
    '/assets/index-00000000.js',
    `/${script}.br`,
    '/index.html',
    '/favicon.ico',
    '/api',
    '/api/v1',
    '/api/v1/nothing',
    '/api/v2/intents',
    '/health',
    '/health/other',
    '/metrics/other',
  ])('has neither page nor file at %s', async (path) => {
    await open();
    expect(problemOf(await ask(path))).toEqual(problem(404, 'http-404'));
    expect((await ask(path, { method: 'HEAD' })).status).toBe(404);
  });

  it('cannot read an address that is none, and takes nothing', async () => {
    await open();
    expect((await ask('/intents/%00')).status).toBe(400);
    expect((await ask('/%zz')).status).toBe(400);
    expect(problemOf(await ask('/', { method: 'POST', body: {} }))).toEqual(problem(404, 'http-404'));
  });

  it('is below its base path, whether a proxy passes that on or not, and so are the API and the probes', async () => {
    await open({ basePath: '/ops/loyalty' });
    for (const path of ['/', '/intents', '/ops/loyalty', '/ops/loyalty/', '/ops/loyalty/intents?x=1']) {
      const { status, body } = await ask(path);
      expect([status, body]).toEqual([200, expect.stringContaining('<base href="/ops/loyalty/">')]);
    }
    for (const base of ['', '/ops/loyalty']) {
      expect((await ask(`${base}/${script}`)).body).toBe(script);
      expect((await ask(`${base}/api/v1/me`)).status).toBe(401);
      expect((await ask(`${base}/api/v1/console`)).status).toBe(200);
      expect((await ask(`${base}/health/live`)).body).toBe('{"status":"ok"}');
      expect((await ask(`${base}/api/v1/nothing`)).status).toBe(404);
    }
  });

  it('is not there where it was not built: that is said once, and nothing else is missing', async () => {
    await open({ folder: join(folder, 'nowhere') });
    for (const path of ['/', '/intents']) expect(problemOf(await ask(path))).toEqual(problem(404, 'no-console'));
    expect(absences).toBe(1);
    expect((await ask(`/${script}`)).status).toBe(404);
    expect((await ask('/api/v1/console')).status).toBe(200);
  });
});

describe('who logs in to the console', () => {
  it('is told how, and learns of no more than the client and what it asks for', async () => {
    await open();
    expect(JSON.parse((await ask('/api/v1/console')).body)).toEqual({ version: '1.2.3', oidc: null });
    await door.close();
    const provider = { issuer: 'https://id.example', audience: 'secret-audience', roleClaim: 'roles' };
    const console = { clientId: 'console', scope: 'openid profile' };
    await open({}, { oidc: { ...provider, programsClaim: null, clients: ['console', 'cli'], console } });
    expect(JSON.parse((await ask('/api/v1/console')).body)).toEqual({
      version: '1.2.3',
      oidc: { issuer: 'https://id.example', ...console },
    });
  });

  it.each(roles)('is told who they are: %s, limited or not', async (role) => {
    await open();
    const rest = { subject: null, readOnly: false, expiresAt: null, docsUrl: null };
    expect(JSON.parse((await ask('/api/v1/me', as(role))).body)).toEqual({
      ...{ name: `the ${role}`, role, limitedTo: null, ...rest },
    });
    expect(JSON.parse((await ask('/api/v1/me', as(`${role}.two`))).body)).toEqual({
      ...{ name: `the ${role}.two`, role, limitedTo: limit, ...rest },
    });
    expect((await ask('/api/v1/me')).status).toBe(401);
  });

  it('is told what the installation allows, and when a token of the provider ends', async () => {
    const issuer = await TestIssuer.start();
    const oidc = { issuer: issuer.url, audience: testAudience, roleClaim: 'roles', programsClaim: null, clients: [] };
    const docsUrl = 'https://docs.example/';
    await open({ docsUrl }, { oidc: { ...oidc, console: null }, isReadOnly: true });
    const exp = Math.floor(door.clock.at / 1_000) + 300;
    const iat = exp - 600;
    const { body } = await ask('/api/v1/me', as(await issuer.token({ preferred_username: 'ada', sub: '7', iat, exp })));
    await issuer.goDown();
    expect(JSON.parse(body)).toEqual({
      ...{ name: 'ada', role: 'viewer', subject: `${issuer.url} 7`, limitedTo: null, readOnly: true },
      ...{ expiresAt: new Date(exp * 1_000).toISOString(), docsUrl },
    });
  });

  const redeem = async (code: unknown, from = '198.51.100.1'): Promise<Answer> =>
    ask('/api/v1/login-links/redeem', { method: 'POST', headers: { 'x-forwarded-for': from }, body: { code } });

  it('by a link is given its token once, while it is fresh', async () => {
    const clock = { now: () => door.clock.at };
    const loginLinks = new LoginLinks({ key: Buffer.alloc(32, 1), token: 'admin', clock });
    let actions = 0;
    await open({ loginLinks }, {}, () => void (actions += 1));
    const code = loginLinks.make();
    const { status, headers, body } = await redeem(code);
    expect([status, headers['cache-control'], JSON.parse(body)]).toEqual([200, 'no-store', { token: 'admin' }]);
    expect(problemOf(await redeem(code))).toEqual(problem(404, 'no-login-link'));
    const late = loginLinks.make();
    door.clock.at += 600_000;
    expect(problemOf(await redeem(late))).toEqual(problem(404, 'no-login-link'));
    // Strangers set nothing in motion.
    expect(actions).toBe(0);
  });

  it('by guessing waits as with tokens, and keeps nobody else waiting', async () => {
    const clock = { now: () => door.clock.at };
    const loginLinks = new LoginLinks({ key: Buffer.alloc(32, 1), token: 'admin', clock });
    await open({ loginLinks }, { trustedProxies: ['127.0.0.0/8'] });
    for (let times = 0; times < 10; times += 1) expect((await redeem('guess')).status).toBe(404);
    expect(problemOf(await redeem('guess'))).toEqual(problem(429, 'too-many-failures'));
    for (let times = 10; times < 100; times += 1) expect((await redeem(`guess-${times}`)).status).toBe(404);
    expect((await redeem('another')).status).toBe(429);
    expect((await redeem('another', '198.51.100.2')).status).toBe(404);
    expect((await redeem(loginLinks.make())).status).toBe(200);
  });

  it('finds no links where nobody makes any, and sends nothing large', async () => {
    await open();
    for (let times = 0; times < 12; times += 1) {
      expect(problemOf(await redeem('guess'))).toEqual(problem(404, 'no-login-link'));
    }
    expect((await redeem('')).status).toBe(400);
    expect((await redeem('x'.repeat(2_000))).status).toBe(413);
  });
});
