import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { SystemClock } from '#platform';
import { createTestAuthority, type IssuedCertificate } from '#test-support';

import { httpClientOver } from '../../test/http-client-over.js';
import type { ClientCertificate, ConnectionOptions } from '../gateway-options.js';
import { Dispatchers } from './connections.js';
import type { HttpResult } from './http-exchange.js';

const authority = createTestAuthority('the partner');

/** A partner that lets nobody in without a certificate of its authority, and answers whose it was. */
async function startMutual(): Promise<{ readonly server: Server; readonly origin: string }> {
  const { cert, key } = authority.issue({ hosts: ['localhost'] });
  const options = { cert, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
  const server = createServer(options, (request, response) => {
    const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject;
    request.resume().on('end', () => response.end(JSON.stringify({ who: CN })));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `https://localhost:${(server.address() as AddressInfo).port}` };
}

const issuedTo = (name: string, from = authority): IssuedCertificate =>
  from.issue({ hosts: ['loyaltyd.example.org'], commonName: name });

describe('a partner that asks for a certificate', () => {
  let partner: Awaited<ReturnType<typeof startMutual>>;
  let dispatchers: Dispatchers;

  beforeAll(async () => {
    partner = await startMutual();
  });

  afterEach(() => dispatchers.close());

  afterAll(() => {
    partner.server.closeAllConnections();
    partner.server.close();
  });

  const clientOf = (options: ConnectionOptions): (() => Promise<HttpResult>) => {
    dispatchers = new Dispatchers(new SystemClock(), { ca: () => authority.certificate, ...options });
    const client = httpClientOver(dispatchers, new SystemClock());
    const request = { path: '/x', method: 'POST', headers: {}, body: '{}', timeoutMs: 5_000 } as const;
    return () => client.send({ origin: partner.origin, ...request });
  };
  const whoIn = ({ body }: HttpResult): unknown => (JSON.parse(body.toString()) as { readonly who: unknown }).who;

  it('is shown ours, and the renewed one from the next request on', async () => {
    let own: ClientCertificate = issuedTo('first');
    const send = clientOf({ certificate: () => own });
    expect(whoIn(await send())).toBe('first');
    own = issuedTo('second');
    expect(whoIn(await send())).toBe('second');
  });

  it('refuses us without one before anything of a request was sent: nothing is in doubt', async () => {
    let own: ClientCertificate | undefined = undefined;
    const send = clientOf({ certificate: () => own, tlsVersionMax: 'TLSv1.2' });
    expect(await send()).toMatchObject({ phase: 'not-sent', error: 'tls-failure' });
    own = issuedTo('late');
    expect(whoIn(await send())).toBe('late');
  });

  it('refuses us by TLS 1.3 when a request is on its way: it stands in doubt, and this is why 1.2 is used', async () => {
    const send = clientOf({ tlsVersionMax: 'TLSv1.3' });
    expect(await send()).toMatchObject({ phase: 'sent', status: null });
  });

  it('is talked to by TLS 1.2, where a certificate is judged before the request, unless 1.3 is asked for', async () => {
    const versions: (string | null)[] = [];
    partner.server.on('secureConnection', (socket: TLSSocket) => versions.push(socket.getProtocol()));
    await clientOf({ certificate: () => issuedTo('one') })();
    await dispatchers.close();
    await clientOf({ certificate: () => issuedTo('one'), tlsVersionMax: 'TLSv1.3' })();
    expect(versions).toEqual(['TLSv1.2', 'TLSv1.3']);
  });
});
