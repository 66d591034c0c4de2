import { createHash } from 'node:crypto';

import { Controller, Get } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';

import type { DoctorReport, TopicNames } from '#contracts';
import { jobRequestSchema } from '#contracts';
import { IngestKeys } from '#intents';
import type { SqlResult, SqlStatement } from '#platform';
import { Clock, Database, DatabaseError, PooledReadingDatabase, ReadersBusyError, SharedDatabase } from '#platform';

import { AccessSettings } from './access/access-settings.js';
import { admitBeforeBodies } from './access/admission.js';
import { addressFailuresMax, failuresMax } from './access/authenticator.js';
import { ConsoleSettings } from './console/console-settings.js';
import { PublishedTopics } from './contracts/contracts.controller.js';
import { Doctor } from './doctor/doctor.controller.js';
import { TopicRules } from './jobs/kinds/reread-topic/topic-reader.js';
import { SourceTopics } from './events/event-service.js';
import { OperationsModule, servedRoutes } from './operations.module.js';
import { ProbeSource } from './probes/probes.controller.js';
import { ProbesModule } from './probes/probes.module.js';
import { ProblemFilter } from './problems/api-problem.js';
import { portsModule } from './testing/ports.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const pathPartCharsMax = 8_192;
/** From one address, one after the other. */
const guessesInAll = 1_000;

const roles = ['viewer', 'operator', 'admin'] as const;
const healthy: DoctorReport = { ok: true, checkedAt: '2026-01-01T00:00:00Z', durationMs: 1, checks: [] };
const tokens = roles.map((role) => ({ name: `the ${role}`, role, sha256: sha256(`${role}-token`) }));

/** A path of a contract, with something in it that might be there. */
function filled(path: string): string {
  const id = path.startsWith('/intents/') ? 'coffee-club~m-1~1' : '1';
  return path
    .replace('{id}', id)
    .replace('{stepId}', '00000000-0000-4000-8000-000000000000')
    .replaceAll(/\{\w+\}/g, 'x');
}

/** With something in it that might be there. */
const wanted = (url: string): string =>
  url.replace('/intents/x', '/intents/coffee-club~m-1~1').replace('/quarantine/x', '/quarantine/1');

const takesReason = (schema: z.ZodType | undefined): boolean =>
  schema?.safeParse({ reason: 7 }).error?.issues.some(({ path }) => path[0] === 'reason') ?? false;

/** Somebody has forgotten to say who may send it. */
@Controller('planted')
class PlantedController {
  @Get()
  read(): object {
    return { ok: true };
  }
}

interface StartOptions {
  readonly controllers?: readonly (new () => object)[];
  /** False: a process without the operations role. */
  readonly hasApi?: boolean;
  /** False: somebody has forgotten to put it before the server. */
  readonly hasDoor?: boolean;
}

/** A route as the served document describes it. */
interface DescribedRoute {
  readonly route: string;
  readonly method: string;
  readonly url: string;
  readonly role: (typeof roles)[number] | null;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: { readonly pattern?: string };
}

interface OpenApiDocument {
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

function describedRoutes({ servers: [{ url: api }], paths }: OpenApiDocument): DescribedRoute[] {
  return Object.entries(paths).flatMap(([path, { servers, ...operations }]) =>
    Object.entries(operations).map(([method, operation]) => {
      const url = `${servers === undefined ? api : ''}${path}`;
      const { 'x-role': role } = operation as { readonly 'x-role': DescribedRoute['role'] };
      return { route: `${method} ${url}`, method, url: url.replaceAll(/\{\w+\}/g, 'x'), role };
    }),
  );
}

const ofApi = servedRoutes().filter(({ isOfApi }) => isOfApi);
/** Pages for people: no part of the document. */
const ofConsole = servedRoutes()
  .filter(({ description }) => description === undefined)
  .map(({ method, path }) => `${method} ${path}`);

let app: NestFastifyApplication;
const logged: unknown[] = [];
let served: string[] = [];
const probes: ProbeSource = {
  live: () => ({ problems: [] }),
  ready: async () => ({ problems: ['Postgres does not answer'] }),
  started: () => ({ problems: [] }),
  metrics: async () => ({ contentType: 'text/plain', text: 'up 1' }),
};

/** What a test says of the process. */
interface Given extends AccessSettings {
  readonly examine: () => Promise<DoctorReport>;
  readonly topics: TopicNames | null;
  readonly database: Database;
}

const start = async (
  { examine = async () => healthy, topics = null, database = {} as Database, ...changed }: Partial<Given>,
  { controllers = [], hasApi = true, hasDoor = true }: StartOptions = {},
): Promise<void> => {
  const clock = { monotonic: () => 0, now: () => 0 } as Clock;
  const open = { isReadOnly: false, metrics: 'open', trustedProxies: [] } as const;
  const access: AccessSettings = { tokens: () => tokens, oidc: null, clock, ...open, ...changed };
  const ports = portsModule([
    [AccessSettings, access],
    [Clock, clock],
    [
      ConsoleSettings,
      { folder: '/nowhere', basePath: '/', version: '0', docsUrl: null, loginLinks: null, onAbsent: () => undefined },
    ],
    [Database, database],
    [Doctor, { examine }],
    [IngestKeys, { mac: Buffer.alloc(32) }],
    [ProbeSource, probes],
    [PublishedTopics, { names: topics }],
    [SourceTopics, { topicOf: () => null }],
    [TopicRules, { isReadable: false, knownSince: () => 0, sourceOf: () => null }],
  ]);
  const module = {
    imports: [ProbesModule.forRoot([ports]), ...(hasApi ? [OperationsModule.forRoot([ports])] : [])],
    controllers: [...controllers],
  };
  const adapter = new FastifyAdapter({ routerOptions: { maxParamLength: pathPartCharsMax } });
  if (hasDoor) admitBeforeBodies(adapter, access);
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
      const methods = [method].flat().filter((each) => each !== 'HEAD');
      served.push(...methods.map((each) => `${each.toLowerCase()} ${url.replaceAll(/:(\w+)/g, '{$1}')}`));
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

describe('the operations API', () => {
  it('refuses who has no token, or a wrong one', async () => {
    await start({});
    const { status, headers, body } = await ask('GET', '/api/v1/doctor');
    expect([status, headers['www-authenticate'], headers['content-type']]).toEqual([
      401,
      'Bearer realm="loyaltyd"',
      'application/problem+json; charset=utf-8',
    ]);
    expect(body).toMatchObject({ type: 'urn:loyaltyd:problem:unauthorized', status: 401 });
    expect((await ask('GET', '/api/v1/doctor', 'guess')).status).toBe(401);
  });

  // Ten wrong guesses from anywhere behind a proxy locked out everybody behind it.
  it('lets in who carries the right token, however many wrong ones came from the same address', async () => {
    await start({});
    const statuses: number[] = [];
    for (let guess = 0; guess < guessesInAll; guess += 1) {
      statuses.push((await ask('GET', '/api/v1/doctor', `guess-${guess}`)).status);
    }
    expect(statuses.slice(0, addressFailuresMax).every((status) => status === 401)).toBe(true);
    expect(statuses.slice(addressFailuresMax).every((status) => status === 429)).toBe(true);
    const limited = await ask('GET', '/api/v1/doctor', 'one-more');
    expect(limited).toMatchObject({ body: { type: 'urn:loyaltyd:problem:too-many-failures' } });
    expect([limited.headers['retry-after'], limited.headers.connection]).toEqual(['60', 'close']);
    expect((await ask('GET', '/api/v1/doctor', 'viewer-token')).status).toBe(200);
    expect((await ask('GET', '/api/v1/doctor')).status).toBe(401);
  });

  // A script with an old token made others behind its proxy, who had mistyped theirs, wait as well.
  it('makes only who repeats a wrong token wait for it', async () => {
    await start({});
    const guess = async (token: string): Promise<number> => (await ask('GET', '/api/v1/doctor', token)).status;
    for (let time = 0; time < failuresMax; time += 1) expect(await guess('an-old-token')).toBe(401);
    expect([await guess('an-old-token'), await guess('a-mistyped-token')]).toEqual([429, 401]);
  });

  it.each([null, ...roles])('is as open to %s as its description says, route by route', async (held) => {
    await start({});
    const described = describedRoutes((await ask('GET', '/api/openapi.json')).body as unknown as OpenApiDocument);
    // What is served and not described has no role, but for the console.
    expect([...described.map(({ route }) => route), ...ofConsole].toSorted()).toEqual(served.toSorted());
    const headers = held === null ? {} : { authorization: `Bearer ${held}-token` };
    const answers = [];
    for (const { route, method, url } of described) {
      const verb = method === 'get' ? 'HEAD' : (method.toUpperCase() as 'POST' | 'DELETE');
      const { statusCode } = await app.inject({ method: verb, url, headers });
      answers.push(`${route}: ${[401, 403].includes(statusCode) ? statusCode : 'let in'}`);
    }
    const expected = ({ role }: DescribedRoute): string => {
      if (role === null) return 'let in';
      if (held === null) return '401';
      return roles.indexOf(held) >= roles.indexOf(role) ? 'let in' : '403';
    };
    expect(answers).toEqual(described.map((each) => `${each.route}: ${expected(each)}`));
  });

  it('does not start with a handler that does not say who may send its request', async () => {
    await expect(start({}, { controllers: [PlantedController] })).rejects.toThrow(
      'GET /planted does not say who may send it',
    );
  });

  it('lets nobody in whom its front door did not, and nobody at all to what does not say who may send it', async () => {
    await start({}, { controllers: [PlantedController], hasDoor: false });
    const closed = ofApi.filter(({ role }) => role !== null);
    for (const { method, path } of closed) {
      const url = `/api/v1${path.replaceAll(/\{\w+\}/g, 'x')}`;
      const { status } = await ask(method.toUpperCase() as 'GET' | 'POST', url, 'admin-token');
      expect({ method, path, status }).toEqual({ method, path, status: 401 });
    }
    expect((await ask('GET', '/planted', 'admin-token')).status).toBe(404);
  });

  it.each(ofApi.filter(({ path }) => path.includes('{')).map(({ method, path }) => ({ method, path })))(
    'cannot read a name with U+0000 in the path: $method $path',
    async ({ method, path }) => {
      await start({});
      const verb = method.toUpperCase() as 'GET' | 'POST';
      for (const name of path.match(/\{\w+\}/g) ?? []) {
        const url = `/api/v1${filled(path.replace(name, 'm%00'))}`;
        expect(await ask(verb, url, 'admin-token')).toMatchObject({
          status: 400,
          headers: { 'content-type': 'application/problem+json; charset=utf-8' },
          body: { type: 'urn:loyaltyd:problem:http-400' },
        });
      }
    },
  );

  it.each(ofApi.filter(({ query }) => query !== undefined).map(({ method, path }) => ({ method, path })))(
    'cannot read U+0000 in the query: $method $path',
    async ({ method, path }) => {
      await start({});
      const url = `/api/v1${filled(path)}?q=%00`;
      expect((await ask(method.toUpperCase() as 'GET', url, 'admin-token')).status).toBe(400);
    },
  );

  /** What its schema says of a body, or else of a query, with one name that it does not know. */
  const refusals = ofApi.flatMap(({ method, path, role, body, query }) => {
    const schema = body ?? query;
    if (schema === undefined || role === null || role === 'producer') return [];
    const { error } = schema.safeParse({ unheardOf: '1' });
    return error === undefined ? [] : [{ method, path, role, detail: z.prettifyError(error) }];
  });

  it.each(refusals)('says to the $role what of $method $path is wrong, and to nobody less', async (refusal) => {
    await start({});
    const { method, path, role, detail } = refusal;
    const url = `/api/v1${filled(path)}`;
    const sent = method === 'get' ? { query: { unheardOf: '1' } } : { payload: { unheardOf: '1' } };
    const askAs = async (headers: Record<string, string>): Promise<{ status: number; body: unknown }> => {
      const answer = await app.inject({ method: method.toUpperCase() as 'GET' | 'POST', url, headers, ...sent });
      return { status: answer.statusCode, body: answer.json<unknown>() };
    };
    const title = 'The request does not say what it should';
    const type = 'urn:loyaltyd:problem:invalid-request';
    expect(await askAs({ authorization: `Bearer ${role}-token` })).toEqual({
      status: 400,
      body: { type, title, status: 400, detail, instance: expect.any(String) as string },
    });
    expect((await askAs({})).status).toBe(401);
    const lesser = roles[roles.indexOf(role) - 1];
    if (lesser !== undefined) expect((await askAs({ authorization: `Bearer ${lesser}-token` })).status).toBe(403);
  });

  it('lets viewers read everything, but for what the partner is asked on the spot', () => {
    const others = ofApi.filter(({ method, role }) => method === 'get' && role !== null && role !== 'viewer');
    expect(others.map(({ path }) => path)).toEqual(['/members/{program}/{memberId}/partner', '/passes']);
  });

  it('asks for the body that is left out as for an empty one, but never pauses everything by it', async () => {
    await start({});
    const { error } = jobRequestSchema.safeParse({});
    expect(await ask('POST', '/api/v1/jobs', 'admin-token')).toMatchObject({
      status: 400,
      body: { detail: error && z.prettifyError(error) },
    });
    expect(await ask('POST', '/api/v1/pauses', 'operator-token')).toMatchObject({
      status: 400,
      body: { detail: 'name a program, an operation or both; {} is everything' },
    });
  });

  it.each([{ hasApi: true }, { hasApi: false }])('shows metrics to whom it may: %j', async (options) => {
    const asked = async (metrics: AccessSettings['metrics'], headers = {}): Promise<number> => {
      await start({ metrics }, options);
      const { statusCode } = await app.inject({ method: 'GET', url: '/metrics', headers });
      await app.close();
      return statusCode;
    };
    const headers = { authorization: 'Bearer viewer-token' };
    expect([await asked('open'), await asked('token'), await asked('off')]).toEqual([200, 401, 404]);
    expect([await asked('token', headers), await asked('off', headers)]).toEqual([200, 404]);
  });

  it('changes nothing for anybody while it is read-only', async () => {
    await start({ isReadOnly: true });
    expect((await ask('GET', '/api/v1/doctor', 'admin-token')).status).toBe(200);
    const refused = await ask('POST', '/api/v1/reload', 'admin-token');
    expect(refused).toMatchObject({ status: 403, body: { type: 'urn:loyaltyd:problem:read-only' } });
  });

  it('tells the contracts of its topics to anybody', async () => {
    const topics = { members: 'm', purchases: 'p', rewards: 'r', outcomes: 'o', audit: 'a', deadLetter: null };
    await start({ topics });
    const { status, body } = await ask('GET', '/api/v1/contracts');
    expect(status).toBe(200);
    expect(Object.keys(body['schemas'] as object)).toHaveLength(15);
    expect(body['asyncapi']).toMatchObject({ channels: { members: { address: 'm' } } });
  });

  it('describes every path that it answers, and no other, to anybody', async () => {
    await start({});
    const { status, body } = await ask('GET', '/api/openapi.json');
    expect(status).toBe(200);
    const { valid, errors } = await new Validator().validate(structuredClone(body));
    expect([valid, errors]).toEqual([true, undefined]);
    expect(body['servers']).toEqual([{ url: '/api/v1' }]);
    const described = ofApi.map(({ method, path }) => `${method} /api/v1${path}`);
    const besides = servedRoutes()
      .filter(({ isOfApi, description }) => !isOfApi && description !== undefined)
      .map(({ method, path }) => `${method} ${path}`);
    expect(served.toSorted()).toEqual([...described, ...besides, ...ofConsole].toSorted());
    expect(new Set(described).size).toBe(described.length);
  });

  it.each(['/api/openapi.json', '/api/v1/contracts'])(
    'makes %s once, and sends it to nobody who has it',
    async (url) => {
      await start({});
      const first = await app.inject({ method: 'GET', url });
      const { etag = '', 'cache-control': kept } = first.headers;
      expect([first.statusCode, kept, etag]).toEqual([200, 'no-cache', expect.stringMatching(/^"[\w-]{43}"$/)]);
      const stringify = jest.spyOn(JSON, 'stringify');
      const known = [etag, `W/${etag}`, `"other", ${etag}`, '*'];
      for (const match of known) {
        const again = await app.inject({ method: 'GET', url, headers: { 'if-none-match': match } });
        expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
      }
      const other = await app.inject({ method: 'GET', url, headers: { 'if-none-match': '"other"' } });
      expect([other.statusCode, other.body]).toEqual([200, first.body]);
      const large = stringify.mock.results.filter(({ value }) => typeof value === 'string' && value.length > 1_000);
      stringify.mockRestore();
      expect(large).toEqual([]);
    },
  );

  it('answers what went wrong as a problem document, and tells nobody what it did not foresee', async () => {
    let fail = (): Error => new Error('nothing asked for it yet');
    const examine = async (): Promise<never> => {
      throw fail();
    };
    await start({ examine });
    const nowhere = await ask('GET', '/api/v1/nowhere', 'admin-token');
    expect(nowhere).toMatchObject({ status: 404, body: { type: 'urn:loyaltyd:problem:http-404' } });
    fail = () => new DatabaseError('x', 'unavailable', { sqlState: null, cause: null });
    const away = await ask('GET', '/api/v1/doctor', 'viewer-token');
    expect([away.status, away.headers['retry-after']]).toEqual([503, '5']);
    fail = () => new DatabaseError('x', 'unavailable', { sqlState: '57014', cause: null });
    const long = await ask('GET', '/api/v1/doctor', 'viewer-token');
    expect(long).toMatchObject({ status: 503, body: { type: 'urn:loyaltyd:problem:too-expensive' } });
    expect(long.body['detail']).toContain('a shorter time (from, to)');
    fail = () => new ReadersBusyError();
    const busy = await ask('GET', '/api/v1/doctor', 'viewer-token');
    expect(busy).toMatchObject({ status: 503, body: { type: 'urn:loyaltyd:problem:too-many-questions' } });
    expect(busy.headers['retry-after']).toBe('1');
    logged.length = 0;
    fail = () => new Error('secret-in-the-message');
    const broken = await ask('GET', '/api/v1/doctor', 'viewer-token');
    expect(broken).toMatchObject({ status: 500, body: { type: 'urn:loyaltyd:problem:unexpected' } });
    expect(JSON.stringify(broken.body)).not.toContain('secret');
    const requestId = String(broken.body['instance']).replace('urn:loyaltyd:request:', '');
    expect(logged).toMatchObject([{ requestId }]);
  });

  it('asks on the connections of readers whatever is only read, and on its own whatever is done', async () => {
    const asked: string[] = [];
    const noting = (name: string): Database => {
      const query = async (statement: SqlStatement): Promise<SqlResult<never>> => {
        asked.push(`${name} ${statement.name}`);
        return { rows: [], rowCount: 0 };
      };
      return { execute: query, transaction: (_name, work) => work({ query }) };
    };
    const database = new SharedDatabase(noting('own'), new PooledReadingDatabase(noting('readers')));
    await start({ database });
    const described = describedRoutes((await ask('GET', '/api/openapi.json')).body as unknown as OpenApiDocument);
    // How things stand is read once for all who ask, metrics among them.
    await ask('GET', '/api/v1/stats', 'viewer-token');
    expect(asked).toContain('own count_intents');
    asked.length = 0;
    for (const { method, url, role } of described) {
      if (method !== 'get' || role === null || url.endsWith('/stream')) continue;
      // Some answer no JSON.
      await app.inject({ method: 'GET', url: wanted(url), headers: { authorization: 'Bearer admin-token' } });
    }
    expect(asked).toContain('readers list_actions_by_newest');
    expect(asked.filter((statement) => statement.startsWith('own '))).toEqual([]);
    asked.length = 0;
    const pause = { method: 'POST', url: '/api/v1/pauses', payload: { program: 'tea', reason: 'it must be' } } as const;
    await app.inject({ ...pause, headers: { authorization: 'Bearer admin-token' } });
    expect([asked.length > 0, asked.filter((statement) => statement.startsWith('readers '))]).toEqual([true, []]);
  });

  it('is not there in a process without the operations role; probes are', async () => {
    await start({}, { hasApi: false });
    expect((await ask('GET', '/api/v1/contracts')).status).toBe(404);
    expect((await ask('GET', '/health/live')).body).toEqual({ status: 'ok' });
    const ready = await ask('GET', '/health/ready');
    expect(ready).toMatchObject({ status: 503, body: { status: 'failing', problems: ['Postgres does not answer'] } });
  });
});

describe('what requests of the operations API say', () => {
  /** As an admin; the body as text. */
  const send = async (method: string, url: string, payload: string): Promise<{ status: number; detail: string }> => {
    const headers = { authorization: 'Bearer admin-token', 'content-type': 'application/json' };
    const answer = await app.inject({ method: method.toUpperCase() as 'POST', url: `/api/v1${url}`, headers, payload });
    return { status: answer.statusCode, detail: String(answer.json<{ readonly detail?: string }>().detail) };
  };

  const withBody = ofApi.filter(({ body }) => body !== undefined);

  it.each(withBody.map(({ method, path }) => ({ method, path })))(
    'takes neither null nor U+0000 for a body of $method $path',
    async ({ method, path }) => {
      await start({});
      expect((await send(method, filled(path), 'null')).status).toBe(400);
      const planted = JSON.stringify({ reason: 'a test', change: { message: ['a\u0000b'] } });
      expect(await send(method, filled(path), planted)).toEqual({ status: 400, detail: 'U+0000 is not allowed' });
    },
  );

  const withReason = ofApi.flatMap(({ method, path, body, query }) =>
    takesReason(body ?? query) ? [{ method, path, isInBody: body !== undefined }] : [],
  );

  it.each(withReason)('keeps no reason of more than 1,000 characters for $method $path', async (route) => {
    await start({});
    const { method, path, isInBody } = route;
    const reason = 'x'.repeat(1_001);
    const url = isInBody ? filled(path) : `${filled(path)}?reason=${reason}`;
    const { status, detail } = await send(method, url, isInBody ? JSON.stringify({ reason }) : '');
    expect([status, detail]).toEqual([400, expect.stringMatching(/<=1000 characters|<=512 characters/)]);
  });

  it.each([
    ['/members/coffee-club/m-1/unmask', {}],
    ['/members/coffee-club/m-1/card-links', {}],
    ['/quarantine/1/unmask', {}],
    ['/jobs', { kind: 'export', includePersonal: true }],
  ])('shows nothing personal without a reason: %s', async (path, body) => {
    await start({});
    const { status, detail } = await send('post', path, JSON.stringify(body));
    expect([status, detail]).toEqual([400, expect.stringContaining('reason')]);
  });

  it.each(ofApi.filter(({ path }) => path.includes('{')).map(({ method, path, role }) => ({ method, path, role })))(
    'says that nothing can be called so in the path of $method $path, to the $role and nobody less',
    async ({ method, path, role }) => {
      await start({});
      const url = `/api/v1${path.replaceAll(/\{\w+\}/g, 'x%20y'.repeat(100))}`;
      const verb = method.toUpperCase() as 'GET' | 'POST';
      expect(await ask(verb, url, `${role}-token`)).toMatchObject({
        status: 400,
        body: { type: 'urn:loyaltyd:problem:invalid-request' },
      });
      expect((await ask(verb, url)).status).toBe(401);
    },
  );

  it.each(
    ofApi
      .filter(({ query }) => query !== undefined && query instanceof z.ZodObject && 'cursor' in query.shape)
      .map(({ path }) => path),
  )('takes no cursor that it has not given: %s', async (path) => {
    await start({});
    const { status, body } = await ask('GET', `/api/v1${filled(path)}?cursor=no%20cursor`, 'admin-token');
    expect([status, body['detail']]).toEqual([400, expect.stringMatching(/not one of ours\n +→ at cursor/)]);
  });

  it('describes how everything in a path, and every cursor, is spelt', async () => {
    await start({});
    const { paths } = (await ask('GET', '/api/openapi.json')).body as unknown as OpenApiDocument;
    const parameters = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap((operation) => {
        const { parameters: some = [] } = operation as { readonly parameters?: readonly Parameter[] };
        return some.map((parameter) => ({ path, ...parameter }));
      }),
    );
    const spelt = parameters.filter(({ in: place, name }) => place === 'path' || name === 'cursor');
    expect(spelt.filter(({ schema: { pattern } }) => pattern === undefined)).toEqual([]);
    const named = Object.keys(paths).flatMap((path) => path.match(/\{\w+\}/g)?.map((name) => `${path} ${name}`) ?? []);
    const inPaths = spelt.filter(({ in: place }) => place === 'path');
    expect(new Set(inPaths.map(({ path, name }) => `${path} {${name}}`))).toEqual(new Set(named));
  });
});
