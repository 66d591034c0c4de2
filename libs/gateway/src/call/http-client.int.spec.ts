import { type Channel, channel } from 'node:diagnostics_channel';
import net, { type AddressInfo } from 'node:net';
import { type Clock, SystemClock } from '#platform';
import fc from 'fast-check';
import { createTestAuthority, loopbackCertificate, VirtualClock } from '#test-support';
import { httpClientOver } from '../../test/http-client-over.js';
import {
  answer,
  answerJson,
  cutBody,
  hangUp,
  head,
  inTurn,
  type Reply,
  reset,
  ScriptedServer,
  silence,
} from '../../test/scripted-server.js';
import { connectionAgeMsMax, responseBodyBytesMax } from '../limits.js';
import type { ConnectionOptions } from '../gateway-options.js';
import { Dispatchers } from './connections.js';
import type { HttpClient } from './http-client.js';
import type { HttpRequest, HttpResult } from './http-exchange.js';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(reply?: Reply, scheme?: 'http' | 'https'): Promise<ScriptedServer> {
  const server = await ScriptedServer.start(reply, scheme);
  closers.push(() => server.close());
  return server;
}

function clientWith(options: ConnectionOptions = {}, clock: Clock = new SystemClock()): HttpClient {
  const dispatchers = new Dispatchers(clock, options);
  closers.push(() => dispatchers.close());
  return httpClientOver(dispatchers, clock);
}

/** Resolves at the next message. */
function once(of: Channel): Promise<void> {
  return new Promise((resolve) => {
    const heard = (): void => {
      of.unsubscribe(heard);
      resolve();
    };
    of.subscribe(heard);
  });
}

const post = (origin: string, parts: Partial<HttpRequest> = {}): HttpRequest => ({
  origin,
  path: '/x',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
  timeoutMs: 5_000,
  ...parts,
});

const outcome = ({ phase, error, status }: HttpResult): unknown => ({ phase, error, status });
const unsent = (error: string): unknown => ({ phase: 'not-sent', error, status: null });
const lost = (error: string, status: number | null = null): unknown => ({ phase: 'sent', error, status });

/** A server that accepts connections and does as it likes with them. */
async function rawServer(onConnection: (socket: net.Socket) => void): Promise<number> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

describe('a request that ends before the mark', () => {
  it('connection refused', async () => {
    const server = await ScriptedServer.start();
    await server.close();
    expect(outcome(await clientWith().send(post(server.origin)))).toEqual(unsent('connection-refused'));
  });

  it('connect timeout: a handshake that never ends', async () => {
    const port = await rawServer(() => undefined);
    const client = clientWith({ connectTimeoutMs: 200 });
    expect(outcome(await client.send(post(`https://127.0.0.1:${port}`)))).toEqual(unsent('connect-timeout'));
  });

  it('TLS failure: a certificate nobody vouches for', async () => {
    const server = await serve(undefined, 'https');
    expect(outcome(await clientWith().send(post(server.origin)))).toEqual(unsent('tls-failure'));
    expect(server.seen).toEqual([]);
  });

  it('TLS failure: the other side speaks no TLS, or hangs up', async () => {
    const plain = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const closing = await rawServer((socket) => socket.destroy());
    const client = clientWith();
    expect(outcome(await client.send(post(`https://127.0.0.1:${plain}`)))).toEqual(unsent('tls-failure'));
    expect(outcome(await client.send(post(`https://127.0.0.1:${closing}`)))).toEqual(unsent('tls-failure'));
  });

  it('aborted before it began', async () => {
    const server = await serve();
    const result = await clientWith().send(post(server.origin, { signal: AbortSignal.abort() }));
    expect(outcome(result)).toEqual(unsent('aborted'));
    expect(server.connections).toBe(0);
  });

  it('aborted while queued behind another: it is never written, and the socket stays in use', async () => {
    let answerFirst = (): void => undefined;
    const server = await serve((socket, request) => {
      answerFirst = () => answer(200, '{}')(socket, request);
    });
    const client = clientWith({ connectionsMax: 1 });
    const abort = new AbortController();
    const first = client.send(post(server.origin, { path: '/first' }));
    const second = client.send(post(server.origin, { path: '/second', signal: abort.signal }));
    await server.arrived(1);
    abort.abort();
    expect(outcome(await second)).toEqual(unsent('aborted'));
    server.reply = answer(200, '{}');
    answerFirst();
    expect((await first).phase).toBe('answered');
    expect((await client.send(post(server.origin, { path: '/third' }))).phase).toBe('answered');
    expect(server.seen.map(({ path }) => path)).toEqual(['/first', '/third']);
    expect(server.connections).toBe(1);
  });

  it('deadline while queued', async () => {
    const server = await serve(silence);
    const clock = new VirtualClock();
    const client = clientWith({ connectionsMax: 1 }, clock);
    const first = client.send(post(server.origin, { timeoutMs: 1_500 }));
    const second = client.send(post(server.origin, { timeoutMs: 100 }));
    await server.arrived(1);
    await clock.advance(100);
    expect(outcome(await second)).toEqual(unsent('timeout'));
    await clock.advance(1_400);
    expect(outcome(await first)).toEqual(lost('timeout'));
    expect(server.seen).toHaveLength(1);
  });

  it('a request that cannot be written', async () => {
    const server = await serve();
    const result = await clientWith().send(post(server.origin, { headers: { bad: 'line\r\nbreak' } }));
    expect(outcome(result)).toEqual(unsent('unsendable'));
    expect(server.seen).toEqual([]);
  });

  it('connections were closed', async () => {
    const server = await serve();
    const dispatchers = new Dispatchers(new SystemClock());
    const client = httpClientOver(dispatchers, new SystemClock());
    await dispatchers.close();
    expect(outcome(await client.send(post(server.origin)))).toEqual(unsent('connection-failed'));
  });
});

describe('requests made in one turn', () => {
  it('have results of their own, whatever becomes of the others', async () => {
    const [server, gone] = [await serve(answer(201, '{}')), await ScriptedServer.start()];
    await gone.close();
    const client = clientWith();
    const results = await Promise.all([
      client.send(post(gone.origin)),
      client.send(post(server.origin)),
      client.send(post(server.origin, { headers: { bad: 'line\r\nbreak' } })),
      client.send(post(server.origin, { signal: AbortSignal.abort() })),
    ]);
    expect(results.map(outcome)).toEqual([
      unsent('connection-refused'),
      { phase: 'answered', error: null, status: 201 },
      unsent('unsendable'),
      unsent('aborted'),
    ]);
  });

  it('one that finds no connections of its own does not stop the others', async () => {
    const server = await serve(answer(200, '{}'));
    let asked = 0;
    const client = clientWith({
      ca: () => {
        asked += 1;
        // The first is asked when the connections are opened.
        if (asked === 2) throw new Error('the file cannot be read');
        return undefined;
      },
    });
    const [first, second] = await Promise.allSettled([
      client.send(post(server.origin)),
      client.send(post(server.origin)),
    ]);
    expect(first.status).toBe('rejected');
    expect(second).toMatchObject({ status: 'fulfilled', value: { phase: 'answered' } });
  });
});

describe('a request that was sent and not answered completely', () => {
  it.each([
    ['reset after the request', reset, lost('reset')],
    ['hung up after the request', hangUp, lost('reset')],
    ['body cut off', cutBody, lost('truncated', 200)],
    ['chunked body cut off', chunkedThenEnd, lost('truncated', 200)],
    ['no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), lost('malformed')],
  ] satisfies [string, Reply, unknown][])('%s', async (_case, reply, expected) => {
    const server = await serve(reply);
    expect(outcome(await clientWith().send(post(server.origin)))).toEqual(expected);
    expect(server.seen).toHaveLength(1);
  });

  it('timeout waiting for the answer', async () => {
    const clock = new VirtualClock();
    const server = await serve(() => void clock.advance(1_000));
    const result = clientWith({}, clock).send(post(server.origin, { timeoutMs: 1_000 }));
    expect(outcome(await result)).toEqual(lost('timeout'));
    expect(server.seen).toHaveLength(1);
  });

  it('the deadline covers the body too', async () => {
    const clock = new VirtualClock();
    const server = await serve((socket) => socket.write(`${head(200, { 'content-length': '100' })}{`));
    const headed = once(channel('undici:request:headers'));
    const result = clientWith({}, clock).send(post(server.origin, { timeoutMs: 1_000 }));
    await headed;
    await clock.advance(1_000);
    expect(outcome(await result)).toEqual(lost('timeout', 200));
  });

  it('aborted after it was sent', async () => {
    const server = await serve(silence);
    const abort = new AbortController();
    const result = clientWith().send(post(server.origin, { signal: abort.signal }));
    await server.arrived(1);
    abort.abort();
    expect(outcome(await result)).toEqual(lost('aborted'));
  });

  it('an answer over the size limit', async () => {
    const server = await serve(answer(200, 'x'.repeat(responseBodyBytesMax + 1)));
    expect(outcome(await clientWith().send(post(server.origin)))).toEqual(lost('response-too-large', 200));
  });

  it('reset on a reused keep-alive socket: not sent again', async () => {
    const server = await serve(inTurn(answer(200, '{}'), reset));
    const client = clientWith({ connectionsMax: 1 });
    expect((await client.send(post(server.origin))).phase).toBe('answered');
    expect(outcome(await client.send(post(server.origin)))).toEqual(lost('reset'));
    expect(server.seen).toHaveLength(2);
    expect(server.connections).toBe(1);
  });
});

describe('a request that was answered', () => {
  it('carries method, path, headers and body; reads status, headers and body', async () => {
    const server = await serve(answerJson(201, { b: 2 }, { 'x-id': '7', 'set-cookie': 'session=1' }));
    const result = await clientWith().send(post(server.origin, { path: '/p?q=1' }));
    expect(outcome(result)).toEqual({ phase: 'answered', error: null, status: 201 });
    expect(result.body.toString()).toBe('{"b":2}');
    expect(result.headers).toEqual({ 'content-length': '7', 'content-type': 'application/json', 'x-id': '7' });
    expect(server.seen).toMatchObject([{ method: 'POST', path: '/p?q=1', body: '{"a":1}' }]);
  });

  it('a redirect is an answer and is not followed', async () => {
    const other = await serve();
    const server = await serve(answer(307, '', { location: `${other.origin}/elsewhere` }));
    expect((await clientWith().send(post(server.origin))).status).toBe(307);
    expect(server.seen).toHaveLength(1);
    expect(other.seen).toEqual([]);
  });

  it('informational answers come before the final one', async () => {
    const server = await serve((socket) => {
      socket.write(head(103, { link: '</x>' }));
      socket.write(`${head(200, { 'content-length': '2' })}{}`);
    });
    expect(outcome(await clientWith().send(post(server.origin)))).toEqual({
      phase: 'answered',
      error: null,
      status: 200,
    });
  });

  it.each<[what: string, parts: readonly string[]]>([
    ['a 100', [head(100, {})]],
    ['a 100 in pieces', ['HTTP/1.1 1', '00 Continue\r', '\n\r', '\n']],
    ['a 100 with headers', [head(100, { 'keep-alive': 'timeout=5' })]],
    ['several of them', [head(102, {}), head(100, {}), head(100, {}), head(103, { link: '</x>' })]],
  ])(
    'regression: %s that nobody asked for is no broken answer, and the connection stays in use',
    async (_what, parts) => {
      const answered = `${head(200, { 'content-length': '2' })}{}`;
      const server = await serve((socket) => void writeInTurn(socket, [...parts, answered]));
      const client = clientWith({ connectionsMax: 1 });
      for (let turn = 0; turn < 3; turn += 1) {
        const result = await client.send(post(server.origin));
        expect(outcome(result)).toEqual({ phase: 'answered', error: null, status: 200 });
        expect(result.body.toString()).toBe('{}');
      }
      expect(server.connections).toBe(1);
    },
  );

  it('a 100 and nothing behind it is no answer', async () => {
    const server = await serve((socket) => socket.end(head(100, {})));
    expect(outcome(await clientWith().send(post(server.origin)))).toEqual(lost('reset'));
  });

  it('over TLS with the given authority', async () => {
    const server = await serve(answer(200, '{}'), 'https');
    const client = clientWith({ ca: () => loopbackCertificate.cert });
    expect((await client.send(post(server.origin))).phase).toBe('answered');
  });

  it('over TLS with an authority that changes: new connections follow, what is under way finishes', async () => {
    let goOn: () => void = () => undefined;
    const server = await serve((socket, request) => {
      goOn = () => answer(200, '{}')(socket, request);
    }, 'https');
    let ca = loopbackCertificate.cert;
    const client = clientWith({ ca: () => ca, connectionsMax: 1 });
    const underWay = client.send(post(server.origin));
    await server.arrived(1);
    ca = createTestAuthority('localhost').certificate;
    const refused = await client.send(post(server.origin));
    expect(outcome(refused)).toEqual(unsent('tls-failure'));
    server.reply = answer(200, '{}');
    goOn();
    expect((await underWay).phase).toBe('answered');
    ca = loopbackCertificate.cert;
    expect((await client.send(post(server.origin))).phase).toBe('answered');
  });

  it('an idle socket that the server closed is not used again', async () => {
    let isClosed = Promise.resolve();
    const server = await serve((socket) => {
      isClosed = new Promise((resolve) => socket.on('close', () => resolve()));
      socket.end(`${head(200, { 'content-length': '2' })}{}`);
    });
    const client = clientWith({ connectionsMax: 1 });
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await client.send(post(server.origin))).phase).toBe('answered');
      await isClosed;
    }
    expect(server.connections).toBe(5);
  });
});

describe('connections', () => {
  const gone = (): { promise: Promise<unknown>; resolve: () => void } => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    return { promise, resolve: () => resolve(null) };
  };

  it('regression: of some age take no more calls, and those under way are answered', async () => {
    let answerFirst = (): void => undefined;
    const server = await serve((socket, request) => {
      answerFirst = () => answer(200, '{"first":1}')(socket, request);
    });
    const clock = new VirtualClock();
    const client = clientWith({ connectionsMax: 2 }, clock);
    const first = client.send(post(server.origin, { timeoutMs: 10 * connectionAgeMsMax }));
    await server.arrived(1);
    server.reply = answer(200, '{}');
    await client.send(post(server.origin));
    await client.send(post(server.origin));
    expect(server.connections).toBe(2);
    await clock.advance(connectionAgeMsMax);
    await client.send(post(server.origin));
    await client.send(post(server.origin));
    answerFirst();
    expect((await first).body.toString()).toBe('{"first":1}');
    const carriers = server.seen.map(({ connection }) => connection);
    expect(carriers.slice(0, 3)).toEqual([0, 1, 1]);
    expect(Math.min(...carriers.slice(3))).toBe(2);
  });

  it('regression: idle for some time are let go, so that a call does not meet one that the server is closing', async () => {
    const ended = gone();
    const server = await serve((socket, request) => {
      socket.on('end', ended.resolve);
      answer(200, '{}')(socket, request);
    });
    await clientWith().send(post(server.origin));
    await ended.promise;
  });

  it('stay as long as the server hints', async () => {
    const hinted = await serve(answer(200, '{}', { 'keep-alive': 'timeout=60' }));
    const ended = gone();
    const silent = await serve((socket, request) => {
      socket.on('end', ended.resolve);
      answer(200, '{}')(socket, request);
    });
    const client = clientWith({ keepAliveMs: 1 });
    await client.send(post(hinted.origin));
    await client.send(post(silent.origin));
    await ended.promise;
    await client.send(post(hinted.origin));
    expect(hinted.connections).toBe(1);
  });

  it('are used once where none is to be kept', async () => {
    const server = await serve(answer(200, '{}', { 'keep-alive': 'timeout=60' }));
    const client = clientWith({ keepAliveMs: 0, connectionsMax: 1 });
    const results = await Promise.all([1, 2, 3].map(() => client.send(post(server.origin))));
    expect(results.map(({ phase }) => phase)).toEqual(['answered', 'answered', 'answered']);
    expect(server.connections).toBe(3);
  });
});

/** Each in a packet of its own. */
async function writeInTurn(socket: net.Socket, parts: readonly string[]): Promise<void> {
  for (const part of parts) await new Promise<unknown>((resolve) => socket.write(part, resolve));
}

function chunkedThenEnd(socket: net.Socket): void {
  socket.end(`${head(200, { 'transfer-encoding': 'chunked' })}5\r\n{"a":\r\n`);
}

describe('whatever the server does', () => {
  const replies = {
    answered: answer(200, '{}'),
    closing: closingAnswer,
    reset,
    hangUp,
    cutBody,
    silence,
    chunkedThenEnd,
  };
  const script = fc.record({
    turns: fc.array(fc.constantFrom(...Object.values(replies)), { minLength: 1, maxLength: 12 }),
    connectionsMax: fc.integer({ min: 1, max: 3 }),
  });

  it('no request reaches it twice, none that was "not-sent" reaches it at all, and the mark is where undici sends', async () => {
    await fc.assert(
      fc.asyncProperty(script, async ({ turns, connectionsMax }) => {
        const written: string[] = [];
        const onSend = (message: unknown): void =>
          void written.push((message as { request: { path: string } }).request.path);
        channel('undici:client:sendHeaders').subscribe(onSend);
        const server = await ScriptedServer.start(inTurn(turns[0]!, ...turns.slice(1)));
        const dispatchers = new Dispatchers(new SystemClock(), { connectionsMax });
        const client = httpClientOver(dispatchers, new SystemClock());
        const paths = Array.from({ length: 10 }, (_, index) => `/${index}`);
        const results = await Promise.all(
          paths.map(async (path, index) => ({
            path,
            ...(await client.send(post(server.origin, { path, timeoutMs: 60 + 10 * index }))),
          })),
        );
        channel('undici:client:sendHeaders').unsubscribe(onSend);
        await dispatchers.close();
        await server.close();
        for (const { path, phase } of results) {
          const arrivals = server.seen.filter((request) => request.path === path).length;
          expect(arrivals).toBeLessThanOrEqual(phase === 'not-sent' ? 0 : 1);
          if (phase === 'answered') expect(arrivals).toBe(1);
          expect(written.filter((each) => each === path)).toHaveLength(phase === 'not-sent' ? 0 : 1);
        }
      }),
      { numRuns: 40 },
    );
  });
});

/** Answers and lets the connection go, as a server does that limits requests per connection. */
function closingAnswer(socket: net.Socket): void {
  socket.end(`${head(200, { 'content-length': '2', connection: 'close' })}{}`);
}
