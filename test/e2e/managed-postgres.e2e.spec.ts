import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DoctorReport } from '#contracts';
import { createTestAuthority, queryOnce, startTlsPostgres } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { runProgram } from './loyaltyd.js';
import { awaitEffects } from './partner.js';
import { enrolled, produce, purchased } from './traffic.js';

type TlsPostgres = Awaited<ReturnType<typeof startTlsPostgres>>;

/** As rds_superuser, azure_pg_admin and cloudsqlsuperuser: what a predefined role can give, and nothing of a superuser. */
const administratorStatements = [
  'CREATE ROLE managed_superuser',
  'GRANT pg_monitor, pg_signal_backend, pg_checkpoint TO managed_superuser WITH ADMIN OPTION',
  "CREATE ROLE administrator LOGIN CREATEROLE CREATEDB PASSWORD 'secret' IN ROLE managed_superuser",
];

/** As docs/operations/database-roles.md has them. */
const documentedStatements = [
  "CREATE ROLE owner LOGIN PASSWORD 'secret'",
  'GRANT owner TO CURRENT_USER',
  'CREATE DATABASE club OWNER owner',
  "CREATE ROLE daemon LOGIN PASSWORD 'secret'",
  "CREATE ROLE support LOGIN PASSWORD 'secret'",
];

/** What a parameter group may say for all databases of such a server. */
const foreignSettings = [
  "timezone = 'Pacific/Kiritimati'",
  "datestyle = 'German, DMY'",
  'standard_conforming_strings = off',
  'array_nulls = off',
  'lock_timeout = 1',
  'idle_session_timeout = 1000',
  'statement_timeout = 100',
  'plan_cache_mode = force_custom_plan',
];

describe('a managed Postgres: TLS is forced, nobody is a superuser, settings are those of somebody else', () => {
  let harness: Harness;
  let server: TlsPostgres;
  let folder: string;

  const urlOf = (role: string, database: string): string => {
    const url = new URL(server.url);
    Object.assign(url, { username: role, password: 'secret', pathname: `/${database}` });
    return url.href;
  };
  const authorityFile = (): string => join(folder, 'authority.pem');
  const asAdministrator = (text: string): Promise<unknown> =>
    queryOnce(`${urlOf('administrator', 'postgres')}?sslmode=verify-full&sslrootcert=${authorityFile()}`, text);
  const environmentOf = (role: string): Record<string, string> => ({
    ...harness.environment,
    DATABASE_URL: urlOf(role, 'club'),
    DATABASE_SSL: 'verify-full',
    DATABASE_SSL_CA_FILE: authorityFile(),
  });

  beforeAll(async () => {
    [harness, server, folder] = await Promise.all([
      openHarness(),
      startTlsPostgres({ durable: true }),
      mkdtemp(join(tmpdir(), 'loyaltyd-managed-')),
    ]);
    const authority = createTestAuthority('managed');
    await writeFile(authorityFile(), authority.certificate);
    await server.useCertificate(authority.issue({ hosts: ['localhost', '127.0.0.1'] }));
    await server.refuseCleartext();
    for (const text of administratorStatements) await server.query(text);
    for (const text of documentedStatements) await asAdministrator(text);
    for (const setting of foreignSettings) await asAdministrator(`ALTER DATABASE club SET ${setting}`);
  });

  afterAll(async () => {
    await harness.close();
    await Promise.all([server.stop(), rm(folder, { recursive: true })]);
  });

  it('is migrated by its owner, and the daemon delivers as a plain role; the doctor finds nothing that fails', async () => {
    const migrated = await runProgram(environmentOf('owner'), 'migrate', '--grant', 'daemon');
    expect(migrated).toMatchObject({ code: 0 });
    await harness.startDaemon(environmentOf('daemon'));
    await produce(harness.broker, harness.topics, [enrolled('managed'), purchased('managed', 'managed-1')]);
    await awaitEffects(harness.sandboxUrl, 2);
    const examined = await runProgram(environmentOf('daemon'), 'doctor', '-o', 'json');
    const { checks } = JSON.parse(examined.stdout) as DoctorReport;
    expect({ stderr: examined.stderr, failed: checks.filter(({ state }) => state === 'failed') }).toEqual({
      stderr: '',
      failed: [],
    });
  });

  it('refuses a daemon that does not speak TLS, which says why', async () => {
    const environment = { ...environmentOf('daemon'), DATABASE_SSL: 'disable' };
    const examined = await runProgram(environment, 'doctor');
    expect(examined.code).toBe(1);
    expect(examined.stdout).toMatch(/TLS/);
  });
});
