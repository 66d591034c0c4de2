import type { Server } from 'node:net';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { connectFailure } from './database-error.js';
import { PostgresConnection, SharedSessionsError } from './postgres-connection.js';

function connectionTo(url: string, serverSettings: readonly string[] = []): PostgresConnection {
  const settings = {
    url,
    poolSize: 2,
    ssl: false,
    applicationName: 'pooler-spec',
    migrations: [],
    serverSettings,
  } as const;
  return new PostgresConnection({ ...settings, onPoolError: () => undefined });
}

/** As PgBouncer 1.18 answers the first message of a connection that asks for settings. */
const refusal = ['SFATAL', 'VFATAL', 'C08P01', 'Munsupported startup parameter: options', '', ''].join('\0');

function errorResponse(): Buffer {
  const body = Buffer.from(refusal);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

describe('a pooler between us and Postgres', () => {
  let pooler: Server;
  let test: TestDatabase;

  beforeAll(async () => {
    test = await testDatabase({ migrate: false });
    pooler = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(errorResponse()));
    });
    await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    await new Promise((resolve) => pooler.close(resolve));
    await test.dispose();
  });

  it('that refuses our settings is told from a server that is away: waiting would not help', async () => {
    const { port } = pooler.address() as AddressInfo;
    const connecting = connectionTo(`postgres://nobody:nothing@127.0.0.1:${port}/loyaltyd`).connect();
    const failure: unknown = await connecting.then(
      () => null,
      (error: unknown) => error,
    );
    expect(connectFailure(failure)).toEqual({ kind: 'pooler', code: '08P01' });
  });

  it.each([
    ['that leaves them out is refused', ['loyaltyd.session='], SharedSessionsError],
    ['is not seen where there is none', [], null],
  ])('%s', async (_, settings, refused) => {
    const connection = connectionTo(test.url, settings);
    await connection.connect();
    const required = connection.requireOwnSessions();
    await (refused === null ? expect(required).resolves.toBeUndefined() : expect(required).rejects.toThrow(refused));
    await connection.close();
  });
});
