import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { pauseRequestSchema } from '#contracts';

import type { DevStack } from '../dev/dev-stack.js';
import { EventProducer } from './event-producer.js';
import { pauseMsMax, Troubles } from './troubles.js';

interface Asked {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly token: string | undefined;
  readonly body: unknown;
}

describe('the pause that the demo sets', () => {
  const asked: Asked[] = [];
  let status: number;
  let daemon: Server;
  let stack: DevStack;
  let stop: AbortController;

  const troubles = (): Troubles => new Troubles(stack, new EventProducer('127.0.0.1:1'), stop.signal);

  beforeEach(async () => {
    asked.splice(0);
    status = 200;
    stop = new AbortController();
    daemon = createServer((request, response) => {
      const { method, url: path, headers } = request;
      void json(request).then((body) => {
        asked.push({ method, path, token: headers.authorization, body });
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await once(daemon.listen(0, '127.0.0.1'), 'listening');
    const operations = `http://127.0.0.1:${(daemon.address() as AddressInfo).port}`;
    stack = { daemon: { operations }, operatorToken: 'of-the-operator' } as DevStack;
  });

  afterEach(async () => {
    daemon.close();
    await once(daemon, 'close');
  });

  it('is ended by the demo itself, by what the daemon takes for the pause that it has set', async () => {
    await troubles().resumeLater(1);
    expect(asked).toEqual([
      {
        ...{ method: 'DELETE', path: '/api/v1/pauses', token: 'Bearer of-the-operator' },
        body: {
          program: 'book-club',
          operation: 'transaction',
          reason: 'The partner has called: its ledger has moved',
        },
      },
    ]);
    expect(pauseRequestSchema.parse(asked[0]?.body)).toMatchObject({ program: 'book-club', operation: 'transaction' });
    expect(pauseMsMax).toBe(5 * 60_000);
  });

  it('may have been ended before by somebody who looks', async () => {
    status = 404;
    await troubles().resumeLater(1);
    expect(asked).toHaveLength(1);
  });

  it('is left alone where the demo is stopped before', async () => {
    const resumed = troubles().resumeLater(pauseMsMax);
    stop.abort();
    await resumed;
    expect(asked).toEqual([]);
  });
});
