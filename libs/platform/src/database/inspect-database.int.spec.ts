import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { testDatabase, type TestDatabase } from '#test-support';
import { connectFailure } from './database-error.js';
import { readOnlyDatabase } from './database.js';
import {
  freeSpace,
  inspectConnections,
  inspectServer,
  inspectSettings,
  inspectSize,
  listLongTransactions,
  listReplicationSlots,
} from './inspect-database.js';
import { PostgresConnection } from './postgres-connection.js';

let test: TestDatabase;
let connection: PostgresConnection;

function connectTo(
  url: string,
  more: { readonly ssl?: { readonly rejectUnauthorized: boolean } } = {},
): PostgresConnection {
  const settings = { poolSize: 2, ssl: false as const, applicationName: 'inspection-spec', migrations: [] };
  return new PostgresConnection({ url, ...settings, ...more, onPoolError: () => undefined });
}

beforeAll(async () => {
  test = await testDatabase();
  connection = connectTo(test.url);
  await connection.connect();
});

afterAll(async () => {
  await connection.close();
  await test.dispose();
});

describe('looking at a server', () => {
  it('tells what it is, how it is set, and how full', async () => {
    const database = readOnlyDatabase(connection.database);
    const server = await inspectServer(database);
    expect(server).toMatchObject({ isStandby: false, isReadOnly: false });
    expect(server.versionNumber).toBeGreaterThanOrEqual(150_000);
    expect(await inspectSettings(database, ['autovacuum', 'nonsense'])).toEqual(new Map([['autovacuum', 'on']]));
    const { allowed, reserved, used, roleLimit } = await inspectConnections(database);
    expect(allowed).toBeGreaterThan(reserved);
    expect([used > 0, roleLimit]).toEqual([true, null]);
    const { databaseBytes, oldestTransactionAge } = await inspectSize(database);
    expect(databaseBytes).toBeGreaterThan(1_000_000);
    expect(oldestTransactionAge).toBeGreaterThan(0);
    expect(Array.isArray(await listReplicationSlots(database))).toBe(true);
  });

  it('sees what is free on its disk only where the server seems to be here', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-data-'));
    const here = { dataFolder: folder };
    expect(await freeSpace('127.0.0.1', here)).toBeNull();
    await writeFile(join(folder, 'PG_VERSION'), '18');
    expect(await freeSpace('127.0.0.1', here)).toMatchObject({ allBytes: expect.any(Number) as number });
    expect(await freeSpace('db.example', here)).toBeNull();
    expect(await freeSpace('127.0.0.1', { dataFolder: null })).toBeNull();
    await rm(folder, { recursive: true });
  });

  it('finds a transaction that stays open, not our own', async () => {
    const client = new pg.Client({ connectionString: test.url, application_name: 'forgotten' });
    await client.connect();
    try {
      await client.query('BEGIN');
      expect(await listLongTransactions(readOnlyDatabase(connection.database), 0)).toEqual([
        expect.objectContaining({
          application: 'forgotten',
          state: 'idle in transaction',
          name: expect.stringMatching(/^pid \d+$/) as string,
        }),
      ]);
      expect(await listLongTransactions(connection.database, 3_600_000)).toEqual([]);
    } finally {
      await client.end();
    }
  });
});

describe('a database that may only be read', () => {
  it('refuses whatever would change it, one statement or many', async () => {
    const database = readOnlyDatabase(connection.database);
    const statement = { name: 'try_to_change', text: 'DELETE FROM replica' };
    await expect(database.execute(statement)).rejects.toMatchObject({ sqlState: '25006' });
    await expect(database.transaction('try', (session) => session.query(statement))).rejects.toMatchObject({
      sqlState: '25006',
    });
    expect((await connection.database.execute(statement)).rowCount).toBe(0);
  });
});

describe('connectFailure', () => {
  const failureOf = async (change: (url: URL) => void, ssl?: { readonly rejectUnauthorized: boolean }) => {
    const url = new URL(test.url);
    change(url);
    const error: unknown = await connectTo(url.href, ssl === undefined ? {} : { ssl })
      .connect()
      .catch((thrown: unknown) => thrown);
    return connectFailure(error).kind;
  };

  it('tells apart why a connection was not made', async () => {
    expect(await failureOf((url) => (url.port = '1'))).toBe('refused');
    expect(await failureOf((url) => (url.hostname = 'nowhere.invalid'))).toBe('unknown-host');
    expect(await failureOf((url) => (url.pathname = '/nowhere'))).toBe('no-database');
    expect(await failureOf(() => undefined, { rejectUnauthorized: false })).toBe('tls');
  });

  it.each([
    [{ code: '53300' }, 'full'],
    [{ code: '57P03' }, 'starting'],
    [{ code: '28P01' }, 'password'],
    [{ code: '28000' }, 'not-allowed'],
    [{ code: 'CERT_HAS_EXPIRED' }, 'tls'],
    [{ code: 'XX000' }, 'other'],
    [new Error('timeout expired'), 'timeout'],
    [new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), 'password'],
    ['nonsense', 'other'],
  ])('%j is %s', (error, kind) => {
    expect(connectFailure(error).kind).toBe(kind);
  });
});
