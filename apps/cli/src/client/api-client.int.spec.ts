import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { exitError } from '../command-line/command-failure.js';
import { ApiClient, NoAnswer } from './api-client.js';

describe('the client of the operations API', () => {
  let server: Server;
  let address: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = request.url?.replace('/api/v1', '');
      if (path === '/silent') return;
      if (path === '/half') {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{');
        request.socket.end();
      } else if (path === '/endless') {
        response.writeHead(200);
        const more = (): void => {
          while (response.write('x'.repeat(1_000_000)));
          response.once('drain', more);
        };
        more();
      } else if (path === '/text') {
        response.end('hello');
      } else {
        response.writeHead(307, { location: 'http://127.0.0.1:1/' });
        response.end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const client = (at = address, timeoutMs = 1_000): ApiClient => new ApiClient({ server: at, token: 't', timeoutMs });

  it('gives up after its time, and says of an act that it may have been done', async () => {
    const silent = client().get('/silent');
    await expect(silent).rejects.toThrow(NoAnswer);
    await expect(silent).rejects.toThrow(/in time \(--timeout\)$/);
    await expect(client().post('/silent', {})).rejects.toThrow(/it may have been done/);
  });

  it('tells a server that is away from a connection that broke', async () => {
    const away = client('http://127.0.0.1:1').post('/x', {});
    await expect(away).rejects.toThrow(NoAnswer);
    await expect(away).rejects.toThrow('cannot reach http://127.0.0.1:1: nobody listens there (ECONNREFUSED)');
    await expect(client().post('/half', {})).rejects.toThrow(/the connection broke .*it may have been done/);
  });

  it('takes no answer without end', async () => {
    await expect(client(address, 60_000).get('/endless')).rejects.toThrow(/longer than 67108864 bytes/);
  });

  it('takes no answer of another program for one', async () => {
    await expect(client().get('/text')).rejects.toMatchObject({ exitCode: exitError });
    await expect(client().get('/text')).rejects.toThrow(/did not answer with JSON/);
  });

  it('follows no redirect, which would take the token elsewhere', async () => {
    await expect(client().get('/elsewhere')).rejects.toThrow(/HTTP 307/);
  });
});
