import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DoctorCheck } from '#contracts';
import type { DatabaseLogin } from '#platform';
import { DatabaseError, PostgresConnection } from '#platform';
import type { TestAuthority, TlsPostgres } from '#test-support';
import { createTestAuthority, startTlsPostgres } from '#test-support';

import { examineBy } from '../doctor/testing/doctor-fixture.js';

let postgres: TlsPostgres;

beforeAll(async () => {
  postgres = await startTlsPostgres();
});

afterAll(() => postgres.stop());

describe('Postgres over TLS', () => {
  const authority = createTestAuthority('loyaltyd postgres tests');
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'loyaltyd-tls-'));
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await postgres.useCertificate(null);
  });

  /** What doctor says of a connection that trusts an authority. */
  const examine = async (
    url: string,
    {
      trusted = authority,
      mode = 'verify-full',
    }: { readonly trusted?: TestAuthority | null; readonly mode?: string } = {},
  ): Promise<DoctorCheck> => {
    const caFile = join(folder, 'ca.pem');
    if (trusted !== null) writeFileSync(caFile, trusted.certificate);
    const { check, report } = await examineBy({
      LOYALTYD_ROLES: 'operations',
      LOYALTYD_ENCRYPTION_KEY: Buffer.from([...Array(32).keys()]).toString('base64'),
      OPS_TOKENS: `test:admin:${'a'.repeat(64)}`,
      DATABASE_URL: url,
      DATABASE_SSL: mode,
      DATABASE_SSL_CA_FILE: trusted === null ? '' : caFile,
    });
    expect(JSON.stringify(report)).not.toContain(new URL(url).password);
    return check('postgres.connection');
  };
  const refused = (detail: string, remedy: string): object => ({
    state: 'failed',
    detail: expect.stringContaining(detail) as string,
    remedy: expect.stringContaining(remedy) as string,
  });

  it('is taken with the right authority, by name and by address', async () => {
    await postgres.useCertificate(authority.issue({ hosts: ['localhost', '127.0.0.1'] }));
    expect((await examine(postgres.url)).state).toBe('ok');
    expect((await examine(postgres.namedUrl)).state).toBe('ok');
  });

  it('is refused with an authority that did not sign it, whatever that calls itself', async () => {
    const told = refused('signed by an authority that we do not know', 'DATABASE_SSL_CA_FILE must hold');
    expect(await examine(postgres.url, { trusted: createTestAuthority('somebody else') })).toMatchObject(told);
    const namesake = createTestAuthority('loyaltyd postgres tests');
    expect(await examine(postgres.url, { trusted: namesake })).toMatchObject(told);
  });

  it('without a look at the host wants the right authority all the same where one is given, as libpq', async () => {
    const mode = 'require';
    await postgres.useCertificate(authority.issue({ hosts: ['elsewhere.example'] }));
    expect((await examine(postgres.url, { mode })).state).toBe('ok');
    const trusted = createTestAuthority('loyaltyd postgres tests');
    const told = refused('signed by an authority that we do not know', 'DATABASE_SSL_CA_FILE must hold');
    expect(await examine(postgres.url, { trusted, mode })).toMatchObject(told);
    expect((await examine(postgres.url, { trusted: null, mode })).state).toBe('ok');
  });

  it('is refused where the certificate names another host; an address is none of its names', async () => {
    await postgres.useCertificate(authority.issue({ hosts: ['localhost'] }));
    const told = refused('its certificate names another host', 'DATABASE_URL');
    expect((await examine(postgres.namedUrl)).state).toBe('ok');
    expect(await examine(postgres.url)).toMatchObject(told);
    await postgres.useCertificate(authority.issue({ hosts: ['127.0.0.1'] }));
    expect((await examine(postgres.url)).state).toBe('ok');
    expect(await examine(postgres.namedUrl)).toMatchObject(told);
  });

  it('is refused with a certificate that has expired', async () => {
    await postgres.useCertificate(authority.issue({ hosts: ['localhost', '127.0.0.1'], isExpired: true }));
    expect(await examine(postgres.url)).toMatchObject(refused('its certificate has expired', 'Renew the certificate'));
  });

  it('is refused where the server speaks none, also where it would not be verified', async () => {
    await postgres.useCertificate(null);
    const told = refused('it does not speak TLS', 'DATABASE_SSL=require and verify-full need a server with ssl=on');
    expect(await examine(postgres.url)).toMatchObject(told);
    expect(await examine(postgres.url, { mode: 'require' })).toMatchObject(told);
  });
});

describe('a pool whose login changes', () => {
  const readUser = { name: 'read_user', text: 'SELECT current_user AS name, pg_backend_pid() AS pid' };

  it('makes new connections with the new one, and keeps those it has', async () => {
    await postgres.query(`CREATE ROLE daemon LOGIN PASSWORD 'first'`);
    const loginBy = (password: string): DatabaseLogin => {
      const url = new URL(postgres.url);
      Object.assign(url, { username: 'daemon', password });
      return { url: url.href, ssl: false };
    };
    let login = loginBy('first');
    const settings = { poolSize: 2, applicationName: 'login-spec', migrations: [], onPoolError: () => undefined };
    const connection = new PostgresConnection({ ...login, ...settings, login: () => login });
    await connection.connect();
    const { database } = connection;
    const pids = async (): Promise<readonly number[]> => {
      const ask = async (): Promise<number> => (await database.execute<{ pid: number }>(readUser)).rows[0]?.pid ?? 0;
      return database.transaction('holding', async (session) => {
        const { rows } = await session.query<{ pid: number }>(readUser);
        return [rows[0]?.pid ?? 0, await ask()];
      });
    };
    const held = (await database.execute<{ pid: number }>(readUser)).rows[0]?.pid;
    await postgres.query(`ALTER ROLE daemon PASSWORD 'second'`);
    // The file has not followed yet: what is open works, and a refused login is a matter of time.
    const failure: unknown = await pids().catch((error: unknown) => error);
    expect([failure instanceof DatabaseError, failure]).toMatchObject([
      true,
      { kind: 'unavailable', sqlState: '28P01' },
    ]);
    login = loginBy('second');
    const [first, second] = await pids();
    expect(first).toBe(held);
    expect(second).not.toBe(held);
    await connection.close();
  });
});
