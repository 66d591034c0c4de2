import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

import { waitUntil } from '#embedded';

import { Chance } from '#shop';
import { ChaosProxy, processPorts } from './chaos-proxy.js';
import { fairWeather } from './link.js';

/** Answers every piece with itself in capitals, and a client's end with its own. */
async function startEcho(): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => socket.write(bytes.toString().toUpperCase()));
    socket.on('end', () => socket.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Whether it was a reset. */
const closed = (socket: Socket): Promise<boolean> => new Promise((resolve) => socket.once('close', resolve));

describe('the proxy', () => {
  let server: Server;
  let proxy: ChaosProxy;
  const clients: Socket[] = [];

  beforeEach(async () => {
    server = await startEcho();
    const { port } = server.address() as AddressInfo;
    proxy = await ChaosProxy.start({ speaks: 'http', target: () => port, chance: new Chance(1) });
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await proxy.stop();
    await new Promise((resolve) => server.close(resolve));
  });

  async function client(): Promise<{ socket: Socket; heard: () => string; said: (text: string) => Promise<void> }> {
    const socket = connect({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true });
    clients.push(socket);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => (text += bytes.toString()));
    await once(socket, 'connect');
    const said = (expected: string): Promise<void> =>
      waitUntil(() => text === expected, { what: `${expected}, not ${text}`, timeoutMs: 30_000 }).then(() => undefined);
    return { socket, heard: () => text, said };
  }

  it('carries everything both ways, and the end of one side alone', async () => {
    const { socket, said } = await client();
    socket.write('hello ');
    await said('HELLO ');
    const ended = once(socket, 'end');
    socket.end('world');
    await said('HELLO WORLD');
    await ended;
  });

  it('is late, loses segments and slices, and keeps the order', async () => {
    proxy.setWeather({ ...fairWeather, latencyMs: 20, jitterMs: 30, lossChance: 0.2, retransmitMs: 40, sliceBytes: 2 });
    const { socket, said } = await client();
    const wasLater: boolean[] = [];
    let isLater = false;
    // The proxy runs in this process: 20 ms there and 20 back, begun later, are due later than this, however busy it is.
    setTimeout(() => (isLater = true), 39);
    socket.on('data', () => wasLater.push(isLater));
    for (const word of ['one ', 'two ', 'three']) socket.write(word);
    await said('ONE TWO THREE');
    expect(wasLater).not.toContain(false);
  });

  it('swallows everything in a black hole and disconnects who fell into it when it closes', async () => {
    const before = await client();
    before.socket.write('a');
    await before.said('A');
    proxy.setWeather({ ...fairWeather, isBlackHole: true });
    before.socket.write('b');
    const during = await client();
    during.socket.write('c');
    const bystander = await client();
    await waitUntil(() => proxy.links.filter((link) => link.isDead).length === 2, {
      what: 'two to be lost',
      timeoutMs: 60_000,
    });
    const ends = [before, during].map(({ socket }) => closed(socket));
    proxy.setWeather(fairWeather);
    await Promise.all(ends);
    expect([before.heard(), during.heard()]).toEqual(['A', '']);
    bystander.socket.write('d');
    await bystander.said('D');
  });

  it('holds the answers of one process back and knows the calls that wait for them', async () => {
    const ports = await processPorts(process.pid);
    const { socket } = await client();
    socket.write('POST /x HTTP/1.1\r\n\r\n');
    await waitUntil(() => proxy.links[0]?.clientPort === socket.localPort, { what: 'the link', timeoutMs: 30_000 });
    const late = await client();
    for (const link of proxy.links) link.holdAnswers();
    late.socket.write('POST /y HTTP/1.1\r\n\r\n');
    const requests = (): (string | undefined)[] => proxy.links.map((link) => link.withheldCall?.request);
    await waitUntil(() => requests().includes('POST /y HTTP/1.1'), { what: 'a held answer', timeoutMs: 30_000 });
    expect(late.heard()).toBe('');
    // A server that goes away is held back, too.
    if (ports !== null) expect(await processPorts(process.pid)).toContain(late.socket.localPort);
  });

  it('resets, and refuses', async () => {
    const { socket } = await client();
    await waitUntil(() => proxy.links.length === 1, { what: 'the link', timeoutMs: 30_000 });
    const end = closed(socket);
    proxy.links[0]?.reset();
    expect(await end).toBe(true);
    proxy.setWeather({ ...fairWeather, isRefusing: true });
    const refused = connect({ host: '127.0.0.1', port: proxy.port });
    clients.push(refused);
    refused.on('error', () => undefined);
    expect(await closed(refused)).toBe(true);
  });
});
