import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { LoadTarget } from './load-connection.js';
import type { LoadJob } from './run-load.js';
import { runLoad } from './run-load.js';

const job: LoadJob = {
  kind: 'transaction',
  run: 'r1',
  passes: 100,
  connections: 4,
  seconds: 0.5,
  requestsMax: null,
  rate: null,
};

let server: Server;
let target: LoadTarget;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const arrived: { readonly line: string; readonly token: string; readonly body: string }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      arrived.push({ line: `${request.method} ${request.url}`, token: request.headers.authorization ?? '', body });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, token: 'T' };
});
beforeEach(() => {
  arrived.length = 0;
  answer = (_request, response) => response.setHeader('content-length', 2).end('{}');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('keeps every connection busy, with values that are never used twice', async () => {
  const { done, seconds } = await runLoad(job, target);
  expect(done).toBe(arrived.length);
  expect(done).toBeGreaterThan(job.connections);
  expect(seconds).toBeGreaterThanOrEqual(job.seconds);
  expect(arrived[0]).toMatchObject({
    line: 'POST /brands/101/programs/2001/transaction-types/31/transactions?unique_id=m_0',
    token: 'Bearer T',
  });
  const receipts = arrived.map(
    ({ body }) => (JSON.parse(body) as { attributes: { receipt: string } }).attributes.receipt,
  );
  expect(new Set(receipts).size).toBe(done);
});

it('sends no more than it was told to', async () => {
  expect(await runLoad({ ...job, kind: 'issue', requestsMax: 10 }, target)).toMatchObject({ done: 10 });
});

it('counts what was due while the server stood still as late, sent or not', async () => {
  const stallMs = 300;
  let stall: Promise<void> | null = null;
  answer = (_request, response) => {
    stall ??= sleep(stallMs);
    void stall.then(() => response.setHeader('content-length', 2).end('{}'));
  };
  const { done, latencyMs } = await runLoad({ ...job, rate: 200, connections: 2 }, target);
  expect(done).toBe(100);
  expect(latencyMs.max).toBeGreaterThan(stallMs * 0.9);
  // Two requests were under way, but 60 of the 100 were due in that time: from sending to answer most took no time.
  expect(latencyMs.p50).toBeGreaterThan(stallMs * 0.1);
});

it.each([[null], [100]])('fails at the first answer that is not a 200 (rate %s)', async (rate) => {
  answer = (_request, response) => response.writeHead(404, { 'content-length': 4 }).end('none');
  await expect(runLoad({ ...job, rate }, target)).rejects.toThrow(/POST .* was answered with 404: none/);
});

it.each([[null], [100]])('fails when a connection breaks (rate %s)', async (rate) => {
  answer = (request) => request.socket.destroy();
  await expect(runLoad({ ...job, rate }, target)).rejects.toThrow('closed a connection');
});
