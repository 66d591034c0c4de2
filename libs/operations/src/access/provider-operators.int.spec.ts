import { createServer } from 'node:http';

import type { JWTPayload } from 'jose';
import { exportSPKI, importJWK, SignJWT } from 'jose';

import { SystemClock } from '#platform';
import { testAudience, TestIssuer } from '#test-support';

import { ApiProblem } from '../problems/api-problem.js';
import type { IdentityProviderOptions } from './identity-provider.js';
import { documentBytesMax, providerCooldownMs } from './identity-provider.js';
import { ProviderOperators } from './provider-operators.js';

const hourMs = 3_600_000;
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('the operators of an identity provider', () => {
  let issuer: TestIssuer;
  /** By how much our clock is ahead. */
  let aheadMs: number;

  beforeEach(async () => {
    aheadMs = 0;
    issuer = await TestIssuer.start();
  });

  afterEach(() => issuer.goDown());

  const real = new SystemClock();

  const operators = (options: Partial<IdentityProviderOptions> = {}): ProviderOperators =>
    new ProviderOperators({
      issuer: issuer.url,
      audience: testAudience,
      roleClaim: 'roles',
      programsClaim: null,
      clients: [],
      console: null,
      clock: { now: () => real.now() + aheadMs, monotonic: () => real.monotonic() + aheadMs },
      ...options,
    });

  const problemOf = async (verdict: Promise<unknown>): Promise<ApiProblem['options']> => {
    const error = await verdict.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error instanceof ApiProblem) return error.options;
    throw new Error(`no problem document: ${String(error)}`);
  };

  const unavailable = { status: 503, code: 'identity-provider-unavailable' };
  const guess = { kind: 'refused', isGuess: true };

  it('are who the token names, with the highest role that it holds, until it ends', async () => {
    const exp = Math.floor(Date.now() / 1_000) + 60;
    const token = await issuer.token({ preferred_username: 'ada', roles: ['viewer', 'operator'], exp });
    const operator = {
      ...{ name: 'ada', subject: `${issuer.url} somebody`, role: 'operator', programs: null },
      until: exp * 1_000,
    };
    const admitted = { kind: 'admitted', operator };
    const ours = operators();
    expect(await ours.judge(token)).toEqual(admitted);
    await ours.judge(await issuer.token());
    expect(issuer.keyRequests).toBe(1);
  });

  it('carry their role where the installation says', async () => {
    const token = await issuer.token({ resource_access: { loyaltyd: { roles: ['admin'] } } });
    const verdict = await operators({ roleClaim: 'resource_access.loyaltyd.roles' }).judge(token);
    expect(verdict).toMatchObject({ operator: { name: 'somebody', role: 'admin' } });
  });

  it('may know of the programs that the token names, where the installation says in which claim', async () => {
    const limited = operators({ programsClaim: 'access.programs' });
    const token = (programs: unknown): Promise<string> => issuer.token({ roles: ['viewer'], access: { programs } });
    const named = await limited.judge(await token(['coffee-club', 'tea-club']));
    expect(named).toMatchObject({ operator: { programs: ['coffee-club', 'tea-club'] } });
    for (const programs of [[], ['coffee-club', 7], undefined, {}]) {
      const refused = limited.judge(await token(programs));
      await expect(refused).rejects.toMatchObject({ options: { status: 403, code: 'no-programs' } });
    }
  });

  it.each<[string, JWTPayload]>([
    ['another audience', { aud: 'somebody-else' }],
    ['another issuer', { iss: 'https://id.example' }],
    ['a time before it holds', { nbf: Math.floor(Date.now() / 1_000) + 3_600 }],
  ])('are not let in with %s', async (_what, claims) => {
    expect(await operators().judge(await issuer.token(claims))).toMatchObject(guess);
  });

  it('are not let in when the token does not end', async () => {
    const token = await issuer.token({ exp: undefined } as unknown as JWTPayload);
    expect(await operators().judge(token)).toMatchObject(guess);
  });

  const lastMoment = Date.parse('9999-12-31T23:59:59Z');

  it.each([1e308, lastMoment / 1_000 + 1])(
    'are not let in when the token ends at %d, which is no moment',
    async (exp) => {
      expect(await operators().judge(await issuer.token({ exp }))).toMatchObject(guess);
    },
  );

  it.each([65, 3_000])('are not let in by claims that nest %d deep, whoever has signed them', async (depth) => {
    const deep = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;
    expect(await operators().judge(await issuer.token({ roles: ['admin'], deep }))).toMatchObject(guess);
    const [header, , signature] = (await issuer.token()).split('.');
    const unsigned = [header, encoded(deep), signature].join('.');
    expect(await operators().judge(unsigned)).toMatchObject(guess);
    expect(await operators().judge([encoded({ alg: 'RS256', deep }), encoded({}), signature].join('.'))).toMatchObject(
      guess,
    );
  });

  it('are let in until the last moment that there is', async () => {
    const verdict = await operators().judge(await issuer.token({ exp: lastMoment / 1_000 }));
    expect(verdict).toMatchObject({ operator: { until: lastMoment } });
  });

  it('are not let in with what has ended, and have guessed nothing; a small difference of clocks does not count', async () => {
    const ours = operators();
    const token = await issuer.token();
    aheadMs = hourMs + 20_000;
    expect(await ours.judge(token)).toMatchObject({ kind: 'admitted' });
    aheadMs = hourMs + 40_000;
    expect(await ours.judge(token)).toMatchObject({
      kind: 'refused',
      isGuess: false,
      detail: 'The token has expired.',
    });
  });

  it('are not let in by a token that nobody signed', async () => {
    const [, payload] = (await issuer.token({ roles: ['admin'] })).split('.');
    const unsigned = `${encoded({ alg: 'none' })}.${payload ?? ''}.`;
    const ours = operators();
    expect(ours.isWellFormed(unsigned)).toBe(true);
    expect(await ours.judge(unsigned)).toMatchObject(guess);
  });

  it('are not let in by a token that was signed with the public key as if it were a secret', async () => {
    const [jwk] = issuer.publicKeys;
    const publicKey = await importJWK({ ...jwk }, 'ES256', { extractable: true });
    if (publicKey instanceof Uint8Array) throw new Error('no public key');
    const secret = new TextEncoder().encode(await exportSPKI(publicKey));
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: issuer.url, aud: testAudience, sub: 'x', exp: now + 60, roles: ['admin'] };
    const header = { alg: 'HS256', kid: String(jwk?.kid) };
    const forged = await new SignJWT(claims).setProtectedHeader(header).sign(secret);
    expect(await operators().judge(forged)).toMatchObject(guess);
  });

  it('are not let in by a token whose claims were changed', async () => {
    const [header, payload, signature] = (await issuer.token()).split('.');
    const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()) as object;
    const changed = [header, encoded({ ...claims, roles: ['admin'] }), signature].join('.');
    expect(await operators().judge(changed)).toMatchObject(guess);
  });

  it('may sign in with a new key of the provider, which is then read; keys are not asked for again at once', async () => {
    const [eager, calm] = [operators({ keysCooldownMs: 0 }), operators()];
    const old = await issuer.token();
    for (const ours of [eager, calm]) expect(await ours.judge(old)).toMatchObject({ kind: 'admitted' });
    await issuer.rotate();
    const token = await issuer.token();
    expect(await eager.judge(token)).toMatchObject({ kind: 'admitted' });
    expect(await eager.judge(old)).toMatchObject(guess);
    const requests = issuer.keyRequests;
    for (let times = 0; times < 5; times += 1) expect(await calm.judge(token)).toMatchObject(guess);
    expect(issuer.keyRequests).toBe(requests);
  });

  describe('where one of its keys cannot be used', () => {
    const broken = (kid: string): object => ({ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid, alg: 'ES256' });
    const publish = (keys: readonly object[]): void => {
      issuer.handler = (request, response) => {
        if (request.url !== '/keys') return false;
        response.end(JSON.stringify({ keys }));
        return true;
      };
    };

    it('are let in by the others, and nobody who names that one keeps new ones from being read', async () => {
      const [first] = issuer.publicKeys;
      publish([broken('key-0'), { ...first }]);
      const ours = operators({ keysCooldownMs: 0 });
      const token = await issuer.token();
      const named = [encoded({ alg: 'ES256', kid: 'key-0' }), ...token.split('.').slice(1)].join('.');
      expect(await ours.judge(token)).toMatchObject({ kind: 'admitted' });
      expect(await problemOf(ours.judge(named))).toMatchObject(unavailable);
      await issuer.rotate();
      publish([broken('key-0'), ...issuer.publicKeys]);
      expect(await ours.judge(await issuer.token())).toMatchObject({ kind: 'admitted' });
    });

    it('are let in by that one once it is mended', async () => {
      publish([broken('key-1')]);
      const ours = operators({ keysCooldownMs: 0 });
      const token = await issuer.token();
      expect(await problemOf(ours.judge(token))).toMatchObject(unavailable);
      publish(issuer.publicKeys);
      expect(await ours.judge(token)).toMatchObject({ kind: 'admitted' });
    });
  });

  it('may do nothing without a role', async () => {
    const problem = await problemOf(operators().judge(await issuer.token({ roles: ['baker'] })));
    expect(problem).toMatchObject({ status: 403, code: 'no-role' });
  });

  it('must have a name, for the audit', async () => {
    const verdict = await operators().judge(await issuer.token({ sub: '\u0000' }));
    expect(verdict).toMatchObject({ kind: 'refused', isGuess: false, detail: 'The token names nobody.' });
  });

  it.each<[string, string | null, JWTPayload]>([
    ['Keycloak', 'JWT', { typ: 'Bearer', azp: 'cli', jti: '1' }],
    ['Keycloak before 25, with the nonce of the login', 'JWT', { typ: 'Bearer', nonce: 'n', azp: 'cli' }],
    ['Entra ID', 'JWT', { ver: '2.0', azp: 'cli', scp: 'operate' }],
    ['Entra ID v1', 'JWT', { ver: '1.0', appid: 'cli', scp: 'operate' }],
    ['Auth0', 'at+jwt', { azp: 'cli', scope: 'openid profile' }],
    ['Okta', null, { cid: 'cli', uid: '1', scp: ['openid'] }],
    ['Cognito', null, { token_use: 'access', client_id: 'cli' }],
    ['RFC 9068', 'application/at+jwt', { client_id: 'cli' }],
  ])('are let in by an access token as %s makes them', async (_who, typ, claims) => {
    const token = await issuer.token(claims, typ);
    expect(await operators({ clients: ['console', 'cli'] }).judge(token)).toMatchObject({ kind: 'admitted' });
  });

  it.each<[string, JWTPayload, string]>([
    ['an ID token of Keycloak', { typ: 'ID', azp: 'cli', at_hash: 'x' }, 'JWT'],
    ['an ID token of anybody, with the nonce of the login', { nonce: 'n' }, 'JWT'],
    ['an ID token of anybody, with the digest of an access token', { at_hash: 'x' }, 'JWT'],
    ['an ID token of Cognito', { token_use: 'id' }, 'JWT'],
    ['a refresh token', { typ: 'Refresh' }, 'JWT'],
    ['a word that somebody has logged out', { events: {} }, 'logout+jwt'],
  ])('are not let in by %s, and have guessed nothing', async (_what, claims, typ) => {
    const verdict = await operators().judge(await issuer.token({ ...claims, roles: ['admin'] }, typ));
    expect(verdict).toEqual({ kind: 'refused', isGuess: false, detail: 'This is no access token.' });
  });

  it.each<[string, JWTPayload]>([
    ['another client', { azp: 'somebody-elses' }],
    ['another client, though it names ours as well', { azp: 'somebody-elses', client_id: 'cli' }],
    ['nobody that it names', {}],
  ])('are not let in by a token that was given to %s', async (_what, claims) => {
    const verdict = await operators({ clients: ['cli'] }).judge(await issuer.token(claims));
    expect(verdict).toMatchObject({
      kind: 'refused',
      isGuess: false,
      detail: expect.stringContaining('CLIENTS') as string,
    });
  });

  it('are the same person for the audit, whatever the provider calls them', async () => {
    const ours = operators();
    const subject = `${issuer.url} 7f3`;
    for (const preferred_username of ['ada', 'grace']) {
      const token = await issuer.token({ preferred_username, sub: '7f3' });
      expect(await ours.judge(token)).toMatchObject({ operator: { name: preferred_username, subject } });
    }
  });

  it('cannot be told while the provider is away, and can once it is back', async () => {
    const token = await issuer.token();
    await issuer.goDown();
    const ours = operators();
    expect(await problemOf(ours.judge(token))).toMatchObject({ ...unavailable, headers: { 'retry-after': '5' } });
    await issuer.comeUp();
    // It is left alone for a while after a failure.
    expect(await problemOf(ours.judge(token))).toMatchObject(unavailable);
    expect(issuer.keyRequests).toBe(0);
    aheadMs = providerCooldownMs;
    expect(await ours.judge(token)).toMatchObject({ kind: 'admitted' });
  });

  it('whose keys are known are let in while the provider is away, others are not', async () => {
    const ours = operators({ keysCooldownMs: 0 });
    const token = await issuer.token();
    await ours.judge(token);
    await issuer.rotate();
    const unknown = await issuer.token();
    await issuer.goDown();
    expect(await problemOf(ours.judge(unknown))).toMatchObject(unavailable);
    expect(await ours.judge(token)).toMatchObject({ kind: 'admitted' });
  });

  it.each([
    ['that names another issuer', { issuer: 'https://id.example' }],
    ['without an address of its keys', { jwks_uri: 7 }],
    ['that sends us out in the clear', { jwks_uri: 'http://id.example/keys' }],
    ['that sends us to a file', { jwks_uri: 'file:///etc/passwd' }],
  ])('cannot be told by a provider %s', async (_what, metadata) => {
    issuer.metadata = metadata;
    expect(await problemOf(operators().judge(await issuer.token()))).toMatchObject(unavailable);
    expect(issuer.keyRequests).toBe(0);
  });

  it('may be of a provider whose own name ends with a slash', async () => {
    const iss = `${issuer.url}/`;
    issuer.metadata = { issuer: iss };
    expect(await operators().judge(await issuer.token({ iss }))).toMatchObject({ kind: 'admitted' });
    expect(await operators().judge(await issuer.token())).toMatchObject(guess);
  });

  it('cannot be told by a provider whose answers have no end', async () => {
    const chunk = 'x'.repeat(65_536);
    const enough = 20 * documentBytesMax;
    let sent = 0;
    const endless = createServer((_request, response) => {
      const fill = (): void => {
        sent += chunk.length;
        if (sent > enough) response.end();
        else response.write(chunk, (error) => (error ? undefined : fill()));
      };
      fill();
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const { port } = endless.address() as { port: number };
    const ours = operators({ issuer: `http://127.0.0.1:${port}` });
    expect(await problemOf(ours.judge(await issuer.token()))).toMatchObject(unavailable);
    expect(sent).toBeLessThan(enough);
    endless.closeAllConnections();
    await new Promise((resolve) => endless.close(resolve));
  });
});
