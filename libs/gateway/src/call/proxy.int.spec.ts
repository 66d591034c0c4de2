import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { SystemClock } from '#platform';
import { loopbackCertificate } from '#test-support';
import { httpClientOver } from '../../test/http-client-over.js';
import { answer, hangUp, ScriptedServer } from '../../test/scripted-server.js';
import { Dispatchers } from './connections.js';
import type { HttpResult } from './http-exchange.js';

describe('through a proxy', () => {
  const tunnels: string[] = [];
  const sockets = new Set<net.Socket>();
  let isOpen = true;
  let proxy: http.Server;
  let partner: ScriptedServer;
  let dispatchers: Dispatchers;
  let proxyUrl: string;

  beforeAll(async () => {
    partner = await ScriptedServer.start(answer(200, '{}'), 'https');
    proxy = http.createServer().on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
      tunnels.push(request.url ?? '');
      if (!isOpen) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      const { hostname, port } = new URL(`https://${request.url ?? ''}`);
      const upstream = net.connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [socket, upstream]) sockets.add(end.on('error', () => undefined));
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const { port } = proxy.address() as AddressInfo;
    proxyUrl = `http://127.0.0.1:${port}`;
    dispatchers = new Dispatchers(new SystemClock(), { proxyUrl: () => proxyUrl, ca: () => loopbackCertificate.cert });
  });
  afterAll(async () => {
    await dispatchers.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await partner.close();
  });

  async function send(origin: string, through = dispatchers): Promise<HttpResult> {
    const client = httpClientOver(through, new SystemClock());
    return client.send({ origin, path: '/x', method: 'POST', headers: {}, body: '{}', timeoutMs: 5_000 });
  }

  it('a proxy that refuses the tunnel: nothing was sent', async () => {
    isOpen = false;
    expect(await send(partner.origin)).toMatchObject({ phase: 'not-sent', error: 'connection-failed' });
    expect(partner.seen).toEqual([]);
    isOpen = true;
  });

  it('an https origin is reached through the tunnel', async () => {
    tunnels.length = 0;
    expect(await send(partner.origin)).toMatchObject({ phase: 'answered', status: 200 });
    expect(tunnels).toEqual([new URL(partner.origin).host]);
    expect(partner.seen).toHaveLength(1);
  });

  it('a plain origin, which is loopback, is reached directly', async () => {
    tunnels.length = 0;
    const local = await ScriptedServer.start();
    expect((await send(local.origin)).phase).toBe('answered');
    expect(tunnels).toEqual([]);
    await local.close();
  });

  it.each([
    ['localhost', true],
    ['other.example, .localhost', true],
    ['*', true],
    ['localhost:1', false],
    ['notlocalhost', false],
    ['', false],
  ])('NO_PROXY=%j: past the proxy is %s', async (noProxy, isDirect) => {
    tunnels.length = 0;
    const own = new Dispatchers(new SystemClock(), {
      proxyUrl: () => proxyUrl,
      noProxy,
      ca: () => loopbackCertificate.cert,
    });
    expect(await send(partner.origin, own)).toMatchObject({ phase: 'answered', status: 200 });
    expect(tunnels).toHaveLength(isDirect ? 0 : 1);
    await own.close();
  });

  it('one that moves is followed by the next request', async () => {
    tunnels.length = 0;
    let current: string | undefined = 'http://127.0.0.1:1';
    const own = new Dispatchers(new SystemClock(), { proxyUrl: () => current, ca: () => loopbackCertificate.cert });
    expect(await send(partner.origin, own)).toMatchObject({ phase: 'not-sent' });
    current = proxyUrl;
    expect(await send(partner.origin, own)).toMatchObject({ phase: 'answered' });
    current = undefined;
    expect(await send(partner.origin, own)).toMatchObject({ phase: 'answered' });
    expect(tunnels).toHaveLength(1);
    await own.close();
  });

  it('the environment of the process is not read', async () => {
    tunnels.length = 0;
    process.env['no_proxy'] = '*';
    try {
      const own = new Dispatchers(new SystemClock(), { proxyUrl: () => proxyUrl, ca: () => loopbackCertificate.cert });
      expect((await send(partner.origin, own)).phase).toBe('answered');
      expect(tunnels).toHaveLength(1);
      await own.close();
    } finally {
      Reflect.deleteProperty(process.env, 'no_proxy');
    }
  });

  it('a request that was tunnelled and lost is "sent", and comes once', async () => {
    const before = partner.seen.length;
    partner.reply = hangUp;
    expect(await send(partner.origin)).toMatchObject({ phase: 'sent', error: 'reset' });
    expect(partner.seen).toHaveLength(before + 1);
    partner.reply = answer(200, '{}');
  });
});
