import { createServer } from 'node:net';

import { freeLoopbackPorts } from './loopback-port.js';

describe('free loopback ports', () => {
  it('are never given twice, so that two listeners of one broker cannot get the same', async () => {
    const rounds = await Promise.all(Array.from({ length: 50 }, () => freeLoopbackPorts(4)));
    expect(new Set(rounds.flat()).size).toBe(200);
  });

  it('can be listened on', async () => {
    const [port = 0] = await freeLoopbackPorts(1);
    const server = createServer();
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
    await new Promise((resolve) => server.close(resolve));
  });

  it('lie below those that Linux gives to connections, so that none is lost between its choice and its use', async () => {
    expect(Math.max(...(await freeLoopbackPorts(20)))).toBeLessThan(32_768);
  });
});
