import { createHash } from 'node:crypto';

import { Get, Module, Post } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';

import { SystemClock } from '#platform';
import { testAudience, TestIssuer } from '#test-support';

import { ProblemFilter } from '../problems/api-problem.js';
import { AccessSettings } from './access-settings.js';
import { AccessGuard, ApiController } from './access.guard.js';
import { admitBeforeBodies } from './admission.js';
import { failuresMax } from './authenticator.js';
import type { Actor } from './operator.js';
import { ByActor } from './operator.js';
import { LongAction, Roles } from './route-rules.js';

@Module({})
class TrialModule {}

/** Of long actions: who has begun one, and how each ends. */
const begun: string[] = [];
const ends: (() => void)[] = [];
const work = { isHeld: true };

/** A viewer may read there, an operator act. */
@ApiController('pauses')
class TrialController {
  @Get()
  @Roles('viewer')
  whoAmI(@ByActor() { name, role, address }: Actor): object {
    return { name, role, address };
  }

  @Post('many')
  @Roles('operator')
  @LongAction()
  async actOnMany(@ByActor() { name }: Actor): Promise<object> {
    begun.push(name);
    if (work.isHeld) await new Promise<void>((resolve) => ends.push(resolve));
    return { name };
  }

  @Post()
  @Roles('operator')
  act(@ByActor() { name, role }: Actor): object {
    return { name, role };
  }
}

/** Not the one that requests of these tests come from unless they say so. */
const trustedProxies = ['10.0.0.0/8'];
const staticToken = 'a-static-token';
const tokens: AccessSettings['tokens'] = () => [
  { name: 'ci', role: 'operator', sha256: createHash('sha256').update(staticToken).digest('hex') },
];

describe('the guard of the operations API, with an identity provider', () => {
  let issuer: TestIssuer;
  let app: NestFastifyApplication;

  const start = async (isReadOnly = false): Promise<void> => {
    const clock = new SystemClock();
    const oidc = {
      issuer: issuer.url,
      audience: testAudience,
      roleClaim: 'roles',
      programsClaim: null,
      clients: [],
      console: null,
    };
    const settings: AccessSettings = { tokens, oidc, isReadOnly, metrics: 'open', clock, trustedProxies };
    const module = {
      module: TrialModule,
      controllers: [TrialController],
      providers: [
        { provide: AccessSettings, useValue: settings },
        { provide: APP_GUARD, useClass: AccessGuard },
      ],
    };
    const adapter = new FastifyAdapter();
    admitBeforeBodies(adapter, settings);
    app = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger: false });
    const error = (): never => {
      throw new Error('nothing unforeseen should happen');
    };
    app.useGlobalFilters(new ProblemFilter({ error } as unknown as ConstructorParameters<typeof ProblemFilter>[0]));
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  };

  beforeEach(async () => {
    issuer = await TestIssuer.start();
    await start();
  });

  afterEach(async () => {
    await app.close();
    await issuer.goDown();
  });

  const ask = async (token: string, method: 'GET' | 'POST' = 'GET') => {
    const headers = { authorization: `Bearer ${token}` };
    const { statusCode, headers: answered, body } = await app.inject({ method, url: '/api/v1/pauses', headers });
    return { status: statusCode, headers: answered, body: JSON.parse(body) as Record<string, unknown> };
  };

  it('lets in who the provider names, in the role that it gives', async () => {
    const viewer = await issuer.token({ preferred_username: 'ada' });
    expect(await ask(viewer)).toMatchObject({ status: 200, body: { name: 'ada', role: 'viewer' } });
    expect(await ask(viewer, 'POST')).toMatchObject({ status: 403, body: { type: 'urn:loyaltyd:problem:role' } });
    const operator = await issuer.token({ email: 'bob@example.org', roles: ['operator'] });
    expect(await ask(operator, 'POST')).toMatchObject({ status: 201, body: { name: 'bob@example.org' } });
  });

  it('knows its own tokens beside, and while the provider is away', async () => {
    await issuer.goDown();
    expect(await ask(staticToken, 'POST')).toMatchObject({ status: 201, body: { name: 'ci' } });
    const { status, headers, body } = await ask(await issuer.token());
    expect([status, headers['retry-after']]).toEqual([503, '5']);
    expect(body).toMatchObject({ type: 'urn:loyaltyd:problem:identity-provider-unavailable' });
    expect((await ask('no-token-of-anybody')).status).toBe(401);
  });

  it('tells who has no role that there is none', async () => {
    expect(await ask(await issuer.token({ roles: [] }))).toMatchObject({
      status: 403,
      body: { type: 'urn:loyaltyd:problem:no-role' },
    });
  });

  it('counts guesses, whatever they look like, and lets in a valid token all the same; an old token is no guess', async () => {
    const old = await issuer.token({ exp: Math.floor(Date.now() / 1_000) - 60 });
    const foreign = await issuer.token({ aud: 'somebody-else' });
    for (let times = 0; times < failuresMax; times += 1) expect((await ask(old)).status).toBe(401);
    for (let times = 0; times < failuresMax; times += 1) expect((await ask(foreign)).status).toBe(401);
    expect((await ask(foreign)).status).toBe(429);
    expect((await ask(old)).status).toBe(401);
    expect((await ask(await issuer.token())).status).toBe(200);
    expect((await ask(staticToken)).status).toBe(200);
  });

  const askFrom = async (remoteAddress: string, forwardedFor: string, token = staticToken) => {
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': forwardedFor };
    const { statusCode, body } = await app.inject({ method: 'GET', url: '/api/v1/pauses', headers, remoteAddress });
    return { status: statusCode, body: JSON.parse(body) as Record<string, unknown> };
  };

  it.each([
    ['a stranger, whatever they say', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a stranger who claims to be our proxy', '203.0.113.9', '198.51.100.1, 10.0.0.1', '203.0.113.9'],
    ['whom a trusted proxy names', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    [
      'whom a trusted proxy names, whatever they say of themselves',
      '10.0.0.1',
      '127.0.0.1, 198.51.100.1',
      '198.51.100.1',
    ],
  ])('sees the address of %s', async (_who, peer, forwardedFor, address) => {
    expect(await askFrom(peer, forwardedFor)).toMatchObject({ status: 200, body: { address } });
  });

  it('counts guesses of whom a trusted proxy names, and nobody escapes that by naming others', async () => {
    const guess = async (peer: string, forwardedFor: string): Promise<number> =>
      (await askFrom(peer, forwardedFor, 'guess')).status;
    for (let times = 0; times < failuresMax; times += 1) {
      expect(await guess('10.0.0.1', '198.51.100.1')).toBe(401);
      expect(await guess('203.0.113.9', `198.51.100.${times}`)).toBe(401);
    }
    expect(await guess('203.0.113.9', '192.0.2.1')).toBe(429);
    expect(await guess('10.0.0.1', '192.0.2.1, 198.51.100.1')).toBe(429);
    expect(await guess('10.0.0.1', '198.51.100.2')).toBe(401);
    expect((await askFrom('10.0.0.1', '198.51.100.1')).status).toBe(200);
  });

  it('lets in a token that it has never seen, while a thousand forged ones of the same address are judged', async () => {
    // Its keys are known by then: how quickly a busy issuer tells them is another matter.
    expect((await ask(await issuer.token({ name: 'another' }))).status).toBe(200);
    const [head = '', claims = '', signature = ''] = (await issuer.token()).split('.');
    const forged = Array.from({ length: 1_000 }, (_, at) => {
      const other = Buffer.from(signature, 'base64url');
      other.writeUInt32BE(at, 0);
      return ask([head, claims, other.toString('base64url')].join('.'));
    });
    const valid = ask(await issuer.token());
    expect((await valid).status).toBe(200);
    const statuses = new Set((await Promise.all(forged)).map(({ status }) => status));
    expect([...statuses].toSorted()).toEqual([401, 429]);
  });

  it('has one long action of a token, and two of all, at a time; other actions and questions pass them', async () => {
    const tokenOf = (name: string) => issuer.token({ preferred_username: name, sub: name, roles: ['operator'] });
    const [ada, bob, cid] = [await tokenOf('ada'), await tokenOf('bob'), await tokenOf('cid')];
    const many = (token: string) =>
      app.inject({ method: 'POST', url: '/api/v1/pauses/many', headers: { authorization: `Bearer ${token}` } });
    const others = async (): Promise<number[]> => [
      ...[(await ask(ada)).status, (await ask(ada, 'POST')).status, (await ask(cid, 'POST')).status],
    ];
    // Known by then: who asks first is let in first.
    for (const token of [ada, bob, cid]) await ask(token);
    const asked = [ada, ada, ada, bob, cid].map((token) => many(token));
    expect(await others()).toEqual([200, 201, 201]);
    expect(begun).toEqual(['ada', 'bob']);
    ends.shift()?.();
    await asked[0];
    expect(await others()).toEqual([200, 201, 201]);
    expect(begun).toEqual(['ada', 'bob', 'cid']);
    work.isHeld = false;
    for (const end of ends.splice(0)) end();
    expect((await Promise.all(asked)).map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201, 201]);
    expect(begun).toEqual(['ada', 'bob', 'cid', 'ada', 'ada']);
  });

  it('changes nothing while it is read-only, whoever says so', async () => {
    await app.close();
    await start(true);
    const admin = await issuer.token({ roles: ['admin'] });
    expect((await ask(admin)).status).toBe(200);
    expect(await ask(admin, 'POST')).toMatchObject({ status: 403, body: { type: 'urn:loyaltyd:problem:read-only' } });
  });
});
