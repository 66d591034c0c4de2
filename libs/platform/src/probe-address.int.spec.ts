import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { loopbackCertificate } from '#test-support';
import { probeAddress, type AddressFinding, type AddressProbe } from './probe-address.js';

describe('probeAddress', () => {
  let server: Server;
  const sockets = new Set<Socket>();
  let onSocket: (socket: Socket) => void = () => undefined;

  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      onSocket(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const probe = (more: Partial<AddressProbe> = {}): Promise<AddressFinding> => {
    const { port } = server.address() as AddressInfo;
    return probeAddress({ host: '127.0.0.1', port, tls: null, timeoutMs: 30_000, ...more });
  };

  it('finds an open port, and asks nothing of it', async () => {
    let heard = '';
    onSocket = (socket) => socket.on('data', (text) => (heard += String(text)));
    expect(await probe()).toEqual({ kind: 'open', certificateEndsAt: null });
    expect(heard).toBe('');
  });

  it('tells a port where nobody listens from a host that nobody knows', async () => {
    expect(await probe({ port: 1 })).toEqual({ kind: 'closed', stage: 'connection', code: 'ECONNREFUSED' });
    expect(await probe({ host: 'nowhere.invalid' })).toMatchObject({ kind: 'closed', stage: 'name' });
  });

  it('tells a server that does not speak TLS, that hangs up on it, and that never answers', async () => {
    onSocket = (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await probe({ tls: {} })).toMatchObject({
      kind: 'closed',
      stage: 'tls',
      code: expect.stringMatching(/SSL/) as string,
    });
    onSocket = (socket) => socket.end();
    expect(await probe({ tls: {} })).toMatchObject({ kind: 'closed', stage: 'tls' });
    onSocket = () => undefined;
    expect(await probe({ tls: {}, timeoutMs: 1_000 })).toEqual({ kind: 'closed', stage: 'tls', code: 'timeout' });
  });

  it('agrees on TLS where it trusts the certificate, and tells until when that is good', async () => {
    const secure = createTlsServer(loopbackCertificate, (socket) => sockets.add(socket.on('error', () => undefined)));
    secure.on('tlsClientError', () => undefined);
    secure.listen(0, '127.0.0.1');
    await once(secure, 'listening');
    const { port } = secure.address() as AddressInfo;
    const { cert: ca } = loopbackCertificate;
    const endsAt = Date.UTC(2120, 0, 1);
    expect(await probe({ port, tls: { ca } })).toEqual({ kind: 'open', certificateEndsAt: endsAt });
    expect(await probe({ port, host: 'localhost', tls: { ca } })).toEqual({ kind: 'open', certificateEndsAt: endsAt });
    expect(await probe({ port, tls: {} })).toMatchObject({ stage: 'tls', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(await probe({ port, tls: { rejectUnauthorized: false } })).toMatchObject({ kind: 'open' });
    for (const socket of sockets) socket.destroy();
    secure.close();
    await once(secure, 'close');
  });
});
