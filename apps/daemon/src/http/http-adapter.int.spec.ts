import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as send } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import type { FastifyAdapter } from '@nestjs/platform-fastify';

import { waitUntil } from '#embedded';
import type { AccessSettings } from '#operations';
import { admitBeforeBodies, problemOf, recordBodyBytesMax, sendProblem } from '#operations';
import { SystemClock } from '#platform';

import { createHttpServer, httpLimits } from './http-adapter.js';

const token = 'the-right-one';
/** Names of other admins, and their tokens. */
const tokens: Readonly<Record<string, string>> = { ada: token, bob: 'of-bob', eve: 'of-eve' };
const authorization = `Authorization: Bearer ${token}`;
const limits = {
  ...{ ...httpLimits, headersTimeoutMs: 300, requestTimeoutMs: 600, checkMs: 50, keepAliveTimeoutMs: 200 },
  lingerMs: 300,
};
/** Many times what the limits above allow. */
const streamMs = 2_000;
/** What stands at handlers of ours. */
const ofAnybody = { config: { rules: { role: null } } };
const ofAdmins = { config: { rules: { role: 'admin' } } };
const post = ['POST /api/v1/pauses HTTP/1.1', 'Host: x', 'Content-Type: application/json'];

describe('the server of the operations port', () => {
  let adapter: FastifyAdapter;
  let port: number;
  const sockets: Socket[] = [];

  beforeEach(() => serve(limits));

  async function serve(within: typeof limits): Promise<void> {
    const known = Object.entries(tokens).map(([name, secret]) => ({
      ...{ name, role: 'admin' as const },
      sha256: createHash('sha256').update(secret).digest('hex'),
    }));
    const clock = new SystemClock();
    const access = { isReadOnly: false, metrics: 'open', trustedProxies: [], oidc: null } as const;
    const api: AccessSettings = { tokens: () => known, clock, ...access };
    const { adapter: opened, connections } = createHttpServer('/', within);
    adapter = opened;
    admitBeforeBodies(adapter, api, connections);
    const server = adapter.getInstance();
    server.setErrorHandler((error, _request, reply) => {
      sendProblem(problemOf(error), reply);
    });
    server.get('/health/live', ofAnybody, () => ({ status: 'ok' }));
    server.post('/api/v1/pauses', ofAdmins, (request) => ({ got: JSON.stringify(request.body).length }));
    const isLong = { config: { rules: { ...ofAdmins.config.rules, bodyBytesMax: recordBodyBytesMax } } };
    server.post('/api/v1/records', isLong, (request) => ({ got: JSON.stringify(request.body).length }));
    server.get('/api/v1/stream', ofAdmins, (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
      const timer = setInterval(() => reply.raw.write(':\n\n'), limits.checkMs);
      setTimeout(() => {
        clearInterval(timer);
        reply.raw.end('event: end\n\n');
      }, streamMs);
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    port = (server.server.address() as AddressInfo).port;
  }

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await adapter.getInstance().close();
  });

  async function open(head: readonly string[]): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (head.length > 0) socket.write(`${head.join('\r\n')}\r\n`);
    return socket;
  }

  it.each([
    ['nothing', []],
    ['half a head', post],
    ['half a body, with a token', [...post, authorization, 'Content-Length: 100', '', '{']],
    ['a body without an end, with a token', [...post, authorization, 'Transfer-Encoding: chunked', '', '1', '{']],
  ])('ends whoever sends %s, and says why', async (_what, head) => {
    const socket = await open(head);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toContain('application/problem+json');
    expect(answer).toContain('"type":"urn:loyaltyd:problem:http-408"');
  });

  it.each([
    ['a large body', ['Content-Length: 4000000'], 401],
    ['a body without an end', ['Transfer-Encoding: chunked'], 401],
    ['a body that is too large, with a token', [authorization, 'Content-Length: 65537'], 413],
  ])('answers %s by its head, and ends the connection', async (_what, headers, status) => {
    const socket = await open([...post, ...headers, '']);
    const answer = await text(socket);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*connection: close[^]*problem:`, 'i'));
  });

  it('answers who asks for nothing that needs a token, and does not read what comes with it', async () => {
    const socket = await open(['GET /health/live HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', '']);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*\{"status":"ok"\}$/);
  });

  it('says that a body has become too large while it comes', async () => {
    const socket = await open([...post, authorization, 'Transfer-Encoding: chunked', '']);
    const piece = ' '.repeat(0x4000);
    for (let count = 0; count < 5; count += 1) socket.write(`4000\r\n${piece}\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 [^]*"urn:loyaltyd:problem:http-413"/);
  });

  it.each([
    ['nests deeper than any request', Buffer.from(`{"reason":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)],
    ['nests a little deeper', Buffer.from(`${'[{"a":'.repeat(65)}1${'}]'.repeat(65)}`)],
    ['nests deeper and never closes', Buffer.from('['.repeat(50_000))],
    ['is no UTF-8', Buffer.from('{"reason":"ung\u00fcltig"}', 'latin1')],
    ['is no JSON', Buffer.from('{"reason":')],
    ['is nothing', Buffer.alloc(0)],
    ['reaches for a prototype', Buffer.from('{"__proto__":{"isAdmin":true}}')],
  ])('answers a body that %s with a problem, and goes on', async (_what, body) => {
    const socket = await open([...post, authorization, 'Connection: close', `Content-Length: ${body.length}`, '']);
    socket.write(body);
    expect(await text(socket)).toMatch(
      /^HTTP\/1\.1 400 [^]*application\/problem\+json[^]*"urn:loyaltyd:problem:http-400"/,
    );
  });

  it('takes a body as deep as a request with a whole event in it', async () => {
    const body = `${'['.repeat(128)}${']'.repeat(128)}`;
    const socket = await open([...post, authorization, 'Connection: close', `Content-Length: ${body.length}`, '']);
    socket.write(body);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*"got":256/);
  });

  it('has a body sent that the sender asks about once it is known who sends it', async () => {
    const ask = async (headers: Readonly<Record<string, string>>): Promise<[boolean, number | undefined]> => {
      const body = JSON.stringify({ reason: 'x'.repeat(1_000) });
      const expected = { expect: '100-continue', 'content-type': 'application/json', 'content-length': body.length };
      const request = send({ port, method: 'POST', path: '/api/v1/pauses', headers: { ...expected, ...headers } });
      let isWanted = false;
      request.once('continue', () => {
        isWanted = true;
        request.end(body);
      });
      request.flushHeaders();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      await text(response);
      request.destroy();
      return [isWanted, response.statusCode];
    };
    expect(await ask({})).toEqual([false, 401]);
    expect(await ask({ authorization: `Bearer ${token}` })).toEqual([true, 200]);
  });

  /** The head and the body of an answer as it came, and what it is called by. */
  function read(answer: string): { readonly head: string; readonly body: string; readonly id: string } {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    return { head, body, id: /^x-request-id: (.+)$/im.exec(head)?.[1]?.trim() ?? '' };
  }

  const get = (path: string, ...headers: string[]): string[] => [
    `GET ${path} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    ...headers,
    '',
  ];

  it.each<[string, readonly string[], number]>([
    ['what succeeds', get('/health/live'), 200],
    ['what is not there', get('/nowhere'), 404],
    ['an address that cannot be decoded', get('/api/v1/%zz'), 400],
    ['who has no token', get('/api/v1/stream'), 401],
    ['a body that is too large', [...post, authorization, 'Content-Length: 65537', ''], 413],
    ['a request without a host', ['GET /health/live HTTP/1.1', ''], 400],
    ['an expectation that nobody knows', get('/health/live', 'Expect: a-miracle'), 417],
    ['a head of 17 KiB', get('/health/live', `X-Much: ${'x'.repeat(17 * 1024)}`), 431],
    ['what is no HTTP', ['GET /health/live HTTQ', ''], 400],
    [
      'extensions of chunks without an end',
      [...post, authorization, 'Transfer-Encoding: chunked', '', `1;${'x'.repeat(17 * 1024)}`],
      413,
    ],
    ['half a head', post, 408],
  ])(
    'says to %s that nobody may keep, guess or show the answer, and what the request is called',
    async (_what, head, status) => {
      const { head: answered, body, id } = read(await text(await open(head)));
      expect(answered).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(answered).toMatch(/^cache-control: no-store$/im);
      expect(answered).toMatch(/^x-content-type-options: nosniff$/im);
      expect(answered).toMatch(/^content-security-policy: default-src 'none'; frame-ancestors 'none'$/im);
      expect(id).toMatch(/^[\da-f-]{36}$/);
      if (status === 200) return;
      expect(answered).toMatch(/^content-type: application\/problem\+json; charset=utf-8$/im);
      expect(JSON.parse(body)).toMatchObject({ status, instance: `urn:loyaltyd:request:${id}` });
    },
  );

  it('says that of a stream, too', async () => {
    const { head } = read(await text(await open(get('/api/v1/stream', authorization))));
    expect(head).toMatch(/^HTTP\/1\.1 200 [^]*x-content-type-options: nosniff[^]*text\/event-stream/i);
  });

  it.each([
    ['a name that is short and plain', 'Root=1-67891233:a.b+c_d', true],
    ['one with other characters', 'a"b', false],
    ['one that is too long', 'x'.repeat(65), false],
  ])('calls a request as its sender does where that is %s', async (_what, name, isKept) => {
    const { head, body, id } = read(await text(await open(get('/nowhere', `X-Request-Id: ${name}`))));
    expect(head).toMatch(/^HTTP\/1\.1 404 /);
    expect(id === name).toBe(isKept);
    expect(JSON.parse(body)).toMatchObject({ instance: `urn:loyaltyd:request:${id}` });
  });

  it('lets a stream live for as long as something comes of it', async () => {
    const socket = await open(['GET /api/v1/stream HTTP/1.1', 'Host: x', authorization, '']);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*event: end/);
  });

  it('is not held up by who sends nothing when it closes', async () => {
    await adapter.getInstance().close();
    // Longer than the test may take.
    await serve({ ...limits, headersTimeoutMs: 600_000, requestTimeoutMs: 600_000 });
    const silent = [await open([]), await open(post)];
    const ends = silent.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    await Promise.all([adapter.getInstance().close(), ...ends]);
  });

  describe('while bodies are on their way', () => {
    // To send megabytes takes a while where other tests are at work.
    const patient = { ...httpLimits, lingerMs: limits.lingerMs };
    const kibibyte = 1024;
    const mebibyte = 1024 * kibibyte;
    const record = post.with(0, 'POST /api/v1/records HTTP/1.1');
    const by = (name: string): string => `Authorization: Bearer ${tokens[name] ?? ''}`;

    beforeEach(async () => {
      await adapter.getInstance().close();
      await serve(patient);
    });

    /** Announces a body, sends so much of it, and leaves it at that. */
    async function begin(head: readonly string[], announced: number, bytes: number): Promise<Socket> {
      const socket = await open([...head, `Content-Length: ${announced}`, 'Connection: close', '']);
      if (bytes > 0) socket.write(`"${'x'.repeat(bytes - 1)}`);
      return socket;
    }
    /** @returns the head of the answer to a whole body */
    async function answer(head: readonly string[], bytes: number): Promise<string> {
      const socket = await begin(head, bytes, bytes - 1);
      socket.write('"');
      return text(socket);
    }
    const taken = /^HTTP\/1\.1 200 OK/;
    const refused = /^HTTP\/1\.1 503 [^]*retry-after: 1[^]*problem:too-many-bodies/i;

    it('keeps no room for what is only announced', async () => {
      await Promise.all(Array.from({ length: 16 }, () => begin([...record, by('ada')], 4 * mebibyte, 1)));
      for (const name of ['ada', 'bob']) expect(await answer([...record, by(name)], 3 * mebibyte)).toMatch(taken);
    });

    it.each([
      ['large', { head: record, bytes: 3 * mebibyte, announced: 4 * mebibyte, count: 3 }],
      ['small', { head: post, bytes: 60 * kibibyte, announced: 64 * kibibyte, count: 18 }],
    ])('lets one token have a share of the room for %s ones', async (_size, { head, bytes, announced, count }) => {
      const slow = await Promise.all(
        Array.from({ length: count }, () => begin([...head, by('ada')], announced, bytes)),
      );
      // Which of them is one too many shows when all have arrived.
      const answers = slow.map(async (socket) => text(socket));
      expect(await Promise.race(answers)).toMatch(refused);
      expect(await answer([...head, by('bob')], bytes)).toMatch(taken);
      const other = head === post ? record : post;
      expect(await answer([...other, by('ada')], 60 * kibibyte)).toMatch(taken);
      for (const socket of slow) socket.destroy();
      await waitUntil(async () => taken.exec(await answer([...head, by('ada')], bytes)) !== null, {
        ...{ what: 'the room of who has left', timeoutMs: 60_000 },
      });
    });

    it('takes no more of all together than there is room for', async () => {
      const names = Object.keys(tokens);
      const slow = await Promise.all(
        names.flatMap((name) => [0, 1].map(() => begin([...record, by(name)], 4 * mebibyte, 3 * mebibyte))),
      );
      expect(await Promise.race(slow.map(async (socket) => text(socket)))).toMatch(refused);
    });
  });
});
