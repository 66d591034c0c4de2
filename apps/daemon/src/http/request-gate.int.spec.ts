import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';

import type { FastifyAdapter } from '@nestjs/platform-fastify';

import { waitUntil } from '#embedded';
import type { AccessSettings, AnswerLimits } from '#operations';
import { admitBeforeBodies, answerLimits, problemOf, sendProblem } from '#operations';
import { SystemClock } from '#platform';

import { createHttpServer, httpLimits } from './http-adapter.js';

const tokens = ['ada', 'bob'].map((name) => {
  return { name, role: 'admin' as const, sha256: createHash('sha256').update(`token-of-${name}`).digest('hex') };
});
const authorization = 'Authorization: Bearer token-of-ada';
/** What stands at handlers of ours. */
const ofAnybody = { config: { rules: { role: null } } };
const ofAdmins = { config: { rules: { role: 'admin' } } };
/** More than the kernels of both sides keep of a connection whose client does not read. */
const largeBytes = 24 * 1024 * 1024;
const large = Buffer.alloc(largeBytes, 0x20);
const pipelined = 1_400;

const get = (path: string, ...headers: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
const post = (body: string, ...headers: readonly string[]): string =>
  ['POST /api/v1/pauses HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers, '', body].join('\r\n');
const sized = (body: string, ...headers: readonly string[]): string =>
  post(body, `Content-Length: ${Buffer.byteLength(body)}`, ...headers);

describe('requests that are sent before the answer to the one before has come', () => {
  let adapter: FastifyAdapter;
  let port: number;
  let sockets: Socket[];
  /** By connection: requests that were handed on, and answers of these that were taken. */
  let seen: Map<Socket, { begun: number; taken: number }>;
  /** The most that were handed on and not taken on one connection. */
  let mostAtOnce: number;
  let handled: number;

  beforeEach(() => serve());

  async function serve(limits: AnswerLimits = answerLimits): Promise<void> {
    seen = new Map();
    sockets = [];
    [mostAtOnce, handled] = [0, 0];
    const access = { isReadOnly: false, metrics: 'open', trustedProxies: [], oidc: null } as const;
    const api: AccessSettings = { tokens: () => tokens, clock: new SystemClock(), ...access };
    const { adapter: opened, connections } = createHttpServer('/', httpLimits);
    adapter = opened;
    admitBeforeBodies(adapter, api, connections, { answers: limits });
    const server = adapter.getInstance();
    server.setErrorHandler((error, _request, reply) => {
      sendProblem(problemOf(error), reply);
    });
    server.get('/health/live', ofAnybody, async ({ url }) => {
      handled += 1;
      await turn();
      return { url };
    });
    server.get('/metrics', ofAnybody, async () => large);
    server.get('/api/v1/audit', ofAdmins, async () => large);
    server.post('/api/v1/pauses', ofAdmins, ({ body }) => ({ url: (body as { n: string }).n }));
    server.get('/api/v1/stream', ofAdmins, (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
      const timer = setInterval(() => reply.raw.write(':\n\n'), 10);
      reply.raw.once('close', () => {
        clearInterval(timer);
      });
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    server.server.prependListener('request', (request, response) => {
      const counts = seen.get(request.socket) ?? { begun: 0, taken: 0 };
      seen.set(request.socket, counts);
      counts.begun += 1;
      mostAtOnce = Math.max(mostAtOnce, counts.begun - counts.taken);
      response.once('finish', () => (counts.taken += 1));
    });
    port = (server.server.address() as AddressInfo).port;
  }

  async function serveWithin(limits: Partial<AnswerLimits>): Promise<void> {
    await adapter.getInstance().close();
    await serve({ ...answerLimits, ...limits });
  }

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await adapter.getInstance().close();
  });

  async function open(): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  /** Sends requests on a connection of its own and never reads what it is answered. */
  async function askDeaf(requests: string): Promise<void> {
    const count = seen.size;
    const socket = await open();
    socket.write(requests);
    await waitUntil(() => seen.size > count, { what: 'the request', timeoutMs: 5_000 });
  }

  /** In the order of their first requests: which connections have ended. */
  const gone = (): boolean[] => [...seen.keys()].map(({ destroyed }) => destroyed);

  const statusesOf = (answers: string): number[] =>
    [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  const urlsOf = (answers: string): string[] =>
    [...answers.matchAll(/\{"url":"([^"]+)"\}/g)].map(([, url]) => url ?? '');

  const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `/health/live?${n}`);

  it('are read one after the other, each when the answer before has been taken, and all are answered in order', async () => {
    const socket = await open();
    const urls = numbered(pipelined);
    socket.write(`${urls.map((url) => get(url)).join('')}${get('/health/live?last', 'Connection: close')}`);
    expect(urlsOf(await text(socket))).toEqual([...urls, '/health/live?last']);
    expect(mostAtOnce).toBe(1);
  });

  it('of many connections are answered, too, one of each at a time', async () => {
    const urls = numbered(50);
    const answers = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const socket = await open();
        socket.write(`${urls.map((url) => get(url)).join('')}${get('/health/live?last', 'Connection: close')}`);
        return urlsOf(await text(socket));
      }),
    );
    expect(answers).toEqual(Array.from({ length: 40 }, () => [...urls, '/health/live?last']));
    expect(mostAtOnce).toBe(1);
  });

  it('are not even read while the client does not take the answer', async () => {
    const socket = await open();
    socket.pause();
    socket.write(get('/metrics').repeat(pipelined));
    await waitUntil(() => seen.size === 1, { what: 'the first', timeoutMs: 5_000 });
    const other = await open();
    other.write(get('/health/live', 'Connection: close'));
    expect(statusesOf(await text(other))).toEqual([200]);
    expect([...seen.values()].map(({ begun, taken }) => begun - taken).toSorted()).toEqual([0, 1]);
    expect(mostAtOnce).toBe(1);
  });

  it('are all answered where the client has closed its side', async () => {
    const socket = await open();
    const urls = numbered(pipelined);
    socket.end(urls.map((url) => get(url)).join(''));
    expect(urlsOf(await text(socket))).toEqual(urls);
  });

  const lastUrl = '/health/live?last';
  const last = get(lastUrl, 'Connection: close');
  const mixtures: readonly (readonly [string, readonly string[], readonly number[], readonly string[]])[] = [
    [
      'bodies',
      [sized('{"n":"1"}', authorization), sized('{"n":"2"}', authorization), last],
      [200, 200, 200],
      ['1', '2', '/health/live?last'],
    ],
    ['a body that is not wanted', [sized('{"n":"1"}'), last], [401, 200], ['/health/live?last']],
    ['a body that looks like a request', [sized(get('/health/live?2')), last], [401, 200], ['/health/live?last']],
    [
      'a body that ends with empty lines',
      [sized('{"n":"1"}\r\n\r\n', authorization), last],
      [200, 200],
      ['1', '/health/live?last'],
    ],
    [
      'a body that is asked about',
      [sized('{"n":"1"}', authorization, 'Expect: 100-continue'), last],
      [100, 200, 200],
      ['1', '/health/live?last'],
    ],
    ['an expectation that nobody knows', [get('/health/live?1', 'Expect: a-miracle'), last], [417], []],
    [
      'a chunked body, whose connection ends',
      [post('9\r\n{"n":"1"}\r\n0\r\n\r\n', authorization, 'Transfer-Encoding: chunked'), last.repeat(pipelined)],
      [200],
      ['1'],
    ],
    [
      'a chunked body with a trailer',
      [
        post('9\r\n{"n":"1"}\r\n0\r\nX-Sum: 1\r\n\r\n', authorization, 'Transfer-Encoding: chunked', 'Trailer: X-Sum'),
        last,
      ],
      [200],
      ['1'],
    ],
    [
      'an upgrade that nobody offers',
      [get('/health/live?1', 'Connection: upgrade', 'Upgrade: websocket'), get('/health/live?2'), last],
      [200, 200, 200],
      ['/health/live?1', '/health/live?2', '/health/live?last'],
    ],
    [
      'empty lines between them',
      [`\r\n\r\n${get('/health/live?1')}\r\n\r\n`, last],
      [200, 200],
      ['/health/live?1', '/health/live?last'],
    ],
    ['one that ends the connection', [last, get('/health/live?2')], [200], ['/health/live?last']],
    ['one of HTTP/1.0', ['GET /health/live?1 HTTP/1.0\r\n\r\n', last], [200], ['/health/live?1']],
    [
      'one without a host',
      [get('/health/live?1'), 'GET /health/live?2 HTTP/1.1\r\n\r\n', last],
      [200, 400],
      ['/health/live?1'],
    ],
    ['what is no HTTP', [get('/health/live?1'), 'what is this\r\n\r\n', last], [200, 400], ['/health/live?1']],
    [
      'a head that is too large',
      [get('/health/live?1'), get('/health/live?2', `X: ${'x'.repeat(17_000)}`), last],
      [200, 431],
      ['/health/live?1'],
    ],
    ['what is not there', [get('/nowhere'), get('/api/v1/audit'), last], [404, 401, 200], ['/health/live?last']],
  ];

  it.each(mixtures)('may hold %s', async (_what, requests, statuses, urls) => {
    const socket = await open();
    socket.write(requests.join(''));
    const answers = await text(socket);
    expect([statusesOf(answers), urlsOf(answers)]).toEqual([statuses, urls]);
    expect(mostAtOnce).toBeLessThanOrEqual(1);
  });

  const complete = mixtures.filter(([, requests, , urls]) => requests.at(-1) === last && urls.at(-1) === lastUrl);
  it.each(complete)('may hold %s, byte by byte', async (_what, requests, statuses, urls) => {
    const socket = await open();
    socket.setNoDelay(true);
    const answered = text(socket);
    for (const char of requests.join('')) {
      socket.write(char);
      await turn();
    }
    const answers = await answered;
    expect([statusesOf(answers), urlsOf(answers)]).toEqual([statuses, urls]);
    expect(mostAtOnce).toBe(1);
  });

  it('wait behind a stream, which ends when its viewer leaves', async () => {
    const socket = await open();
    const begun = handled;
    socket.write(`${get('/api/v1/stream', authorization)}${get('/health/live?1')}`);
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 200 [^]*text\/event-stream/);
    const viewer = await open();
    viewer.write(get('/api/v1/stream', authorization));
    await once(viewer, 'data');
    viewer.end();
    await once(viewer, 'end');
    expect(handled).toBe(begun);
  });

  it('have so many bytes of answers under way without a token, then the oldest is given up, and probes pass', async () => {
    await serveWithin({ bytesWithoutTokenMax: 3 * largeBytes + 1_000 });
    for (let count = 1; count <= 8; count += 1) await askDeaf(get('/metrics'));
    await waitUntil(() => gone().filter(Boolean).length === 5, { what: 'five to be given up', timeoutMs: 5_000 });
    const probe = await open();
    probe.write(get('/health/live', 'Connection: close'));
    expect(statusesOf(await text(probe))).toEqual([200]);
    expect(gone().slice(0, 8)).toEqual([true, true, true, true, true, false, false, false]);
  });

  it('have so many bytes of answers under way with a token, then they are refused, and other tokens pass', async () => {
    await serveWithin({ bytesPerTokenMax: 2 * largeBytes + 1 });
    for (let count = 1; count <= 2; count += 1) await askDeaf(get('/api/v1/audit', authorization));
    const refused = await open();
    refused.write(get('/api/v1/audit', authorization, 'Connection: close'));
    expect(await text(refused)).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 1[^]*problem:too-many-answers/i);
    const other = await open();
    other.write(get('/api/v1/audit', 'Authorization: Bearer token-of-bob', 'Connection: close'));
    expect(statusesOf((await text(other)).slice(0, 100))).toEqual([200]);
    const changed = await open();
    changed.write(sized('{"n":"1"}', authorization, 'Connection: close'));
    expect(urlsOf(await text(changed))).toEqual(['1']);
    expect(gone().slice(0, 2)).toEqual([false, false]);
    for (const socket of sockets) socket.destroy();
    await waitUntil(() => [...seen.keys()].every(({ destroyed }) => destroyed), {
      what: 'them gone',
      timeoutMs: 5_000,
    });
    const again = await open();
    again.write(get('/api/v1/audit', authorization, 'Connection: close'));
    expect(statusesOf((await text(again)).slice(0, 100))).toEqual([200]);
  });

  it('are cut off where their answer is not taken in time', async () => {
    await serveWithin({ takenWithinMs: 100 });
    await askDeaf(get('/metrics').repeat(2));
    await waitUntil(() => gone().every(Boolean), { what: 'the end', timeoutMs: 5_000 });
    expect(mostAtOnce).toBe(1);
  });
});
