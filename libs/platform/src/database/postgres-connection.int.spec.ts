import type { FreezingProxy, TestDatabase } from '#test-support';
import { openFreezingProxy, testDatabase, throughProxy } from '#test-support';

import type { SqlStatement } from './database.js';
import { PostgresConnection } from './postgres-connection.js';

const readOne: SqlStatement = { name: 'read_one', text: 'SELECT 1 AS one' };

describe('a connection through a server that froze', () => {
  let test: TestDatabase;
  let proxy: FreezingProxy;
  let connection: PostgresConnection;

  beforeEach(async () => {
    test = await testDatabase({ migrate: false });
    const url = new URL(test.url);
    proxy = await openFreezingProxy({ host: url.hostname, port: Number(url.port) });
    connection = new PostgresConnection({
      url: throughProxy(test.url, proxy),
      poolSize: 2,
      ssl: false,
      applicationName: 'frozen-spec',
      migrations: [],
      onPoolError: () => undefined,
    });
    await connection.connect();
  });

  afterEach(async () => {
    await proxy.close();
    await test.dispose();
  });

  // The pool had let go of them already: nobody knew them any more, and their statements were waited for without end.
  it.each<[string, () => Promise<unknown>]>([
    ['statement', () => connection.database.execute(readOne)],
    ['transaction', () => connection.database.transaction('reading', (session) => session.query(readOne))],
  ])('that is abandoned while it closes fails the %s under way', async (_, work) => {
    proxy.freeze();
    const working = work();
    // Sent; asked for while the pool ends, it would wait for a connection only.
    await new Promise((resolve) => setImmediate(resolve));
    const isClosed = { yet: false };
    const closing = connection.close().then(() => {
      isClosed.yet = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed.yet).toBe(false);
    connection.abandon();
    await expect(working).rejects.toThrow();
    await closing;
  });
});
