import { createHash } from 'node:crypto';

import { Controller, Get, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';

import { API_ROUTES, erasureRequestSchema } from '#contracts';
import { DatabaseError } from '#platform';

import { ApiController, Needs } from './access/access.guard.js';
import { admitBeforeBodies } from './access/admission.js';
import { failuresMax } from './access/authenticator.js';
import type { ApiSettings } from './api-settings.js';
import { OperationsModule } from './operations.module.js';
import type { ProbeSource } from './probes/probes.controller.js';
import { ProbesModule } from './probes/probes.module.js';
import { ProblemFilter } from './problems/api-problem.js';

/** Who may let a forced replay go on depends on the replay: it is found before the body is read. */
const readsLater = '/replays/{id}/resume';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** From one address, one after the other. */
const guessesInAll = 1_000;

const roles = ['viewer', 'operator', 'admin'] as const;
const tokens = roles.map((role) => ({ name: `the ${role}`, role, sha256: sha256(`${role}-token`) }));

@ApiController('trial')
class TrialController {
  @Get()
  read(): object {
    return { ok: true };
  }

  @Post()
  @Needs('operator')
  act(): object {
    return { ok: true };
  }

  @Post('force')
  @Needs('admin')
  force(): object {
    return { ok: true };
  }
}

@Controller('broken')
class BrokenController {
  @Get()
  fail(): never {
    throw new Error('secret-in-the-message');
  }

  @Get('database')
  away(): never {
    throw new DatabaseError('x', 'unavailable', { sqlState: null, cause: null });
  }
}

describe('the operations API', () => {
  let app: NestFastifyApplication;
  const logged: unknown[] = [];
  /** The routes of the API, the trial's left out. */
  let served: string[] = [];
  const probes: ProbeSource = {
    live: () => ({ problems: [] }),
    ready: async () => ({ problems: ['Postgres does not answer'] }),
    started: () => ({ problems: [] }),
    metrics: async () => ({ contentType: 'text/plain', text: 'up 1' }),
  };

  const start = async (settings: Partial<ApiSettings> | null): Promise<void> => {
    const clock = { monotonic: () => 0 } as ApiSettings['clock'];
    const nothing = {} as Omit<ApiSettings, 'tokens' | 'isReadOnly' | 'oidc' | 'topics' | 'clock'>;
    const api =
      settings === null
        ? null
        : { tokens: () => tokens, isReadOnly: false, oidc: null, topics: null, clock, ...nothing, ...settings };
    const module = {
      imports: [ProbesModule.forRoot(probes), ...(api === null ? [] : [OperationsModule.forRoot(api)])],
      controllers: api === null ? [] : [TrialController, BrokenController],
    };
    const adapter = new FastifyAdapter();
    admitBeforeBodies(adapter, api);
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest types its options as a class
    app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
      logger: false,
      abortOnError: false,
    });
    const error = (fields: unknown): void => void logged.push(fields);
    app.useGlobalFilters(new ProblemFilter({ error } as unknown as ConstructorParameters<typeof ProblemFilter>[0]));
    served = [];
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRoute', ({ method, url }) => {
        const path = url.startsWith('/api/v1/') ? url.slice('/api/v1'.length) : null;
        const methods = [method].flat().filter((each) => each !== 'HEAD');
        if (path !== null && !path.startsWith('/trial')) {
          served.push(...methods.map((each) => `${each.toLowerCase()} ${path}`));
        }
      });
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  };

  afterEach(() => app.close());

  const ask = async (method: 'GET' | 'POST', url: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { statusCode, headers: answered, body } = await app.inject({ method, url, headers });
    return { status: statusCode, headers: answered, body: JSON.parse(body) as Record<string, unknown> };
  };

  it.each([
    ['viewer', [200, 403, 403]],
    ['operator', [200, 201, 403]],
    ['admin', [200, 201, 201]],
  ] as const)('lets the %s do what the role may', async (role, expected) => {
    await start({});
    const answers = [
      await ask('GET', '/api/v1/trial', `${role}-token`),
      await ask('POST', '/api/v1/trial', `${role}-token`),
      await ask('POST', '/api/v1/trial/force', `${role}-token`),
    ];
    expect(answers.map(({ status }) => status)).toEqual(expected);
  });

  it('refuses who has no token, or a wrong one', async () => {
    await start({});
    const { status, headers, body } = await ask('GET', '/api/v1/trial');
    expect([status, headers['www-authenticate'], headers['content-type']]).toEqual([
      401,
      'Bearer realm="loyaltyd"',
      'application/problem+json; charset=utf-8',
    ]);
    expect(body).toMatchObject({ type: 'urn:loyaltyd:problem:unauthorized', status: 401 });
    expect((await ask('GET', '/api/v1/trial', 'guess')).status).toBe(401);
  });

  // Ten wrong guesses from anywhere behind a proxy locked out everybody behind it.
  it('lets in who carries the right token, however many wrong ones came from the same address', async () => {
    await start({});
    const statuses: number[] = [];
    for (let guess = 0; guess < guessesInAll; guess += 1) {
      statuses.push((await ask('GET', '/api/v1/trial', `guess-${guess}`)).status);
    }
    expect(statuses.slice(0, failuresMax).every((status) => status === 401)).toBe(true);
    expect(statuses.slice(failuresMax).every((status) => status === 429)).toBe(true);
    const limited = await ask('GET', '/api/v1/trial', 'one-more');
    expect(limited).toMatchObject({ body: { type: 'urn:loyaltyd:problem:too-many-failures' } });
    expect([limited.headers['retry-after'], limited.headers.connection]).toEqual(['60', 'close']);
    expect((await ask('GET', '/api/v1/trial', 'viewer-token')).status).toBe(200);
    expect((await ask('GET', '/api/v1/trial')).status).toBe(401);
  });

  it.each(API_ROUTES.map(({ method, path, role }) => ({ method, path, role })))(
    'asks of $method $path what its contract says',
    async ({ method, path, role }) => {
      await start({});
      const url = `/api/v1${path.replaceAll(/\{\w+\}/g, 'x')}`;
      const verb = method === 'get' ? 'HEAD' : (method.toUpperCase() as 'POST' | 'DELETE');
      const askAs = async (headers: Record<string, string>): Promise<number> =>
        (await app.inject({ method: verb, url, headers })).statusCode;
      expect(await askAs({})).toBe(role === null ? 200 : 401);
      if (role === null) return;
      const lesser = roles[roles.indexOf(role) - 1];
      if (lesser !== undefined) expect(await askAs({ authorization: `Bearer ${lesser}-token` })).toBe(403);
      expect([401, 403]).not.toContain(await askAs({ authorization: `Bearer ${role}-token` }));
    },
  );

  it.each(API_ROUTES.filter(({ path }) => path.includes('{')).map(({ method, path }) => ({ method, path })))(
    'cannot read a name with U+0000 in the path: $method $path',
    async ({ method, path }) => {
      await start({});
      const verb = method.toUpperCase() as 'GET' | 'POST';
      for (const name of path.match(/\{\w+\}/g) ?? []) {
        const url = `/api/v1${path.replace(name, 'm%00').replaceAll(/\{\w+\}/g, 'x')}`;
        expect(await ask(verb, url, 'admin-token')).toMatchObject({
          status: 400,
          headers: { 'content-type': 'application/problem+json; charset=utf-8' },
          body: { type: 'urn:loyaltyd:problem:http-400' },
        });
      }
    },
  );

  it.each(API_ROUTES.filter(({ query }) => query !== undefined).map(({ method, path }) => ({ method, path })))(
    'cannot read U+0000 in the query: $method $path',
    async ({ method, path }) => {
      await start({});
      const url = `/api/v1${path.replaceAll(/\{\w+\}/g, 'x')}?q=%00`;
      expect((await ask(method.toUpperCase() as 'GET', url, 'admin-token')).status).toBe(400);
    },
  );

  /** What its schema says of a body, or else of a query, with one name that it does not know. */
  const refusals = API_ROUTES.flatMap(({ method, path, role, body, query }) => {
    const schema = body ?? query;
    if (schema === undefined || role === null || path === readsLater) return [];
    const { error } = schema.safeParse({ unheardOf: '1' });
    return error === undefined ? [] : [{ method, path, role, detail: z.prettifyError(error) }];
  });

  it.each(refusals)('says to the $role what of $method $path is wrong, and to nobody less', async (refusal) => {
    await start({});
    const { method, path, role, detail } = refusal;
    const url = `/api/v1${path.replaceAll(/\{\w+\}/g, '1')}`;
    const sent = method === 'get' ? { query: { unheardOf: '1' } } : { payload: { unheardOf: '1' } };
    const askAs = async (headers: Record<string, string>): Promise<{ status: number; body: unknown }> => {
      const answer = await app.inject({ method: method.toUpperCase() as 'GET' | 'POST', url, headers, ...sent });
      return { status: answer.statusCode, body: answer.json<unknown>() };
    };
    const title = 'The request does not say what it should';
    const type = 'urn:loyaltyd:problem:invalid-request';
    expect(await askAs({ authorization: `Bearer ${role}-token` })).toEqual({
      status: 400,
      body: { type, title, status: 400, detail },
    });
    expect((await askAs({})).status).toBe(401);
    const lesser = roles[roles.indexOf(role) - 1];
    if (lesser !== undefined) expect((await askAs({ authorization: `Bearer ${lesser}-token` })).status).toBe(403);
  });

  it('asks for the body that is left out as for an empty one, but never pauses everything by it', async () => {
    await start({});
    const { error } = erasureRequestSchema.safeParse({});
    expect(await ask('POST', '/api/v1/erasures', 'admin-token')).toMatchObject({
      status: 400,
      body: { detail: error && z.prettifyError(error) },
    });
    expect(await ask('POST', '/api/v1/pauses', 'operator-token')).toMatchObject({
      status: 400,
      body: { detail: 'name a program, an operation or both; {} is everything' },
    });
  });

  it('says first what is wrong with the body, then with the id in the path', async () => {
    await start({});
    const discard = async (payload: object): Promise<string> => {
      const headers = { authorization: 'Bearer operator-token' };
      const { body } = await app.inject({ method: 'POST', url: '/api/v1/quarantine/x/discard', headers, payload });
      return (JSON.parse(body) as { readonly detail: string }).detail;
    };
    expect(await discard({ unheardOf: 1 })).toContain('unheardOf');
    expect(await discard({ reason: 'a test' })).toBe('id: not one of ours');
  });

  it('changes nothing for anybody while it is read-only', async () => {
    await start({ isReadOnly: true });
    expect((await ask('GET', '/api/v1/trial', 'admin-token')).status).toBe(200);
    const refused = await ask('POST', '/api/v1/trial', 'admin-token');
    expect(refused).toMatchObject({ status: 403, body: { type: 'urn:loyaltyd:problem:read-only' } });
  });

  it('tells the contracts of its topics to anybody', async () => {
    const topics = { members: 'm', purchases: 'p', rewards: 'r', outcomes: 'o', deadLetter: null };
    await start({ topics });
    const { status, body } = await ask('GET', '/api/v1/contracts');
    expect(status).toBe(200);
    expect(Object.keys(body['schemas'] as object)).toHaveLength(12);
    expect(body['asyncapi']).toMatchObject({ channels: { members: { address: 'm' } } });
  });

  it('describes every path that it answers, and no other, to anybody', async () => {
    await start({});
    const { status, body } = await ask('GET', '/api/openapi.json');
    expect(status).toBe(200);
    const { valid, errors } = await new Validator().validate(structuredClone(body));
    expect([valid, errors]).toEqual([true, undefined]);
    expect(body['servers']).toEqual([{ url: '/api/v1' }]);
    const described = API_ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
    expect(served.toSorted()).toEqual(described.toSorted());
    expect(new Set(described).size).toBe(described.length);
  });

  it('answers what went wrong as a problem document, and tells nobody what it did not foresee', async () => {
    await start({});
    const nowhere = await ask('GET', '/api/v1/nowhere', 'admin-token');
    expect(nowhere).toMatchObject({ status: 404, body: { type: 'urn:loyaltyd:problem:http-404' } });
    const away = await ask('GET', '/broken/database');
    expect([away.status, away.headers['retry-after']]).toEqual([503, '5']);
    logged.length = 0;
    const broken = await ask('GET', '/broken');
    expect(broken).toMatchObject({ status: 500, body: { type: 'urn:loyaltyd:problem:unexpected' } });
    expect(JSON.stringify(broken.body)).not.toContain('secret');
    expect(logged).toHaveLength(1);
  });

  it('is not there in a process without the operations role; probes are', async () => {
    await start(null);
    expect((await ask('GET', '/api/v1/contracts')).status).toBe(404);
    expect((await ask('GET', '/health/live')).body).toEqual({ status: 'ok' });
    const ready = await ask('GET', '/health/ready');
    expect(ready).toMatchObject({ status: 503, body: { status: 'failing', problems: ['Postgres does not answer'] } });
  });
});
