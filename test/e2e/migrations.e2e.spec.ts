import type { RunningProcess, TestDatabase } from '#test-support';
import { createPlainUser, dropUser, programCommand, queryOnce, startProcess, testDatabase } from '#test-support';

import type { Harness } from './harness.js';
import { encryptionKey, openHarness } from './harness.js';
import { runProgram } from './loyaltyd.js';

const newest = 'Newer2999999999999';

/** The environment of a daemon that needs nothing but this database. */
const operationsOn = (url: string): Record<string, string> => ({
  DATABASE_URL: url,
  LOYALTYD_ROLES: 'operations',
  LOYALTYD_PROGRAMS: 'deploy/compose/loyaltyd.yaml',
  LOYALTYD_ENCRYPTION_KEY: encryptionKey,
  OPS_HOST: '127.0.0.1',
  OPS_PORT: '0',
  OPS_TOKENS: `test:admin:${'a'.repeat(64)}`,
});

describe('a schema of an ordinary owner, and the programs beside it', () => {
  let test: TestDatabase;
  let env: Record<string, string>;

  beforeAll(async () => {
    test = await testDatabase({ migrate: false });
    env = operationsOn(test.url);
  });

  afterAll(async () => {
    await test.dispose();
  });

  const start = (): Promise<RunningProcess> => startProcess({ ...programCommand('apps/daemon/src/main.ts'), env });
  const sql = (text: string): Promise<{ count: string }[]> => queryOnce(test.url, text);

  it('belongs to one who may nothing but own it', async () => {
    const [user] = await queryOnce(
      test.url,
      `SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
         (SELECT count(*)::int FROM pg_auth_members WHERE member = oid) AS roles FROM pg_roles WHERE rolname = current_user`,
    );
    const nothing = { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false };
    expect(user).toEqual({ ...nothing, rolbypassrls: false, roles: 0 });
  });

  it('a process that cannot set it up says which migration stopped, and why; so does the one after it', async () => {
    await sql('CREATE TABLE lane_start (in_the_way int)');
    const why = 'relation "lane_start" already exists';
    for (let tries = 0; tries < 2; tries += 1) {
      await expect(start()).rejects.toThrow(
        new RegExp(`ended with 2[^]*migration Baseline1798000000000 was refused: ${why}`),
      );
    }
    await sql('DROP TABLE lane_start');
  });

  it('a plan says by its exit code that something is to be done, and changes nothing', async () => {
    const { code, stdout } = await runProgram(env, 'migrate', '--plan');
    expect({ code, first: stdout.split(' ')[0] }).toEqual({ code: 6, first: 'would' });
    expect(stdout).toContain('new tables: member, member_key');
    expect(await sql(`SELECT count(*) FROM pg_tables WHERE tablename = 'intent'`)).toEqual([{ count: '0' }]);
  });

  it('of several that migrate and start at once one sets it up, and all go on', async () => {
    const migrating = [runProgram(env, 'migrate'), runProgram(env, 'migrate')];
    const daemons = await Promise.all([start(), start()]);
    const ran = await Promise.all(migrating);
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    const said = [...ran.map(({ stdout }) => stdout), ...daemons.map((daemon) => daemon.stderr())];
    expect(said.filter((text) => text.startsWith('ran ') || text.includes('set up'))).toHaveLength(1);
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    expect(await runProgram(env, 'migrate', '--plan')).toMatchObject({ code: 0, stdout: 'the schema is up to date\n' });
    // Of what had stopped it before nothing is said any more.
    expect(await queryOnce(test.url, `SELECT to_regclass('schema_stop') AS left`)).toEqual([{ left: null }]);
  });

  it('a program works on when a newer one has expanded the schema, and says so', async () => {
    await sql(`INSERT INTO schema_migration (timestamp, name) VALUES (2999999999999, '${newest}')`);
    await sql(`INSERT INTO schema_mark (migration, serves) VALUES ('${newest}', 0)`);
    const daemon = await start();
    expect(daemon.stderr()).toContain('the schema is newer than this release');
    await daemon.stop();
  });

  it('a program that the schema has outgrown refuses to start and to migrate, and names why', async () => {
    await sql(`UPDATE schema_mark SET serves = 2999999999999 WHERE migration = '${newest}'`);
    const [migrated, rebuilt] = await Promise.all([
      runProgram(env, 'migrate', '--plan'),
      runProgram(env, 'rebuild'),
      expect(start()).rejects.toThrow(new RegExp(`ended with 2[^]*leaves this release behind: ${newest}`)),
    ]);
    expect(migrated).toMatchObject({ code: 2, stdout: '' });
    expect(migrated.stderr).toContain(newest);
    expect(rebuilt).toMatchObject({ code: 2, stdout: '' });
    expect(rebuilt.stderr).toContain(newest);
  });
});

describe('a database of an earlier build', () => {
  it('is refused in one sentence, by every command, and left as it is', async () => {
    const test = await testDatabase();
    const env = { DATABASE_URL: test.ownerUrl, LOYALTYD_ROLES: 'operations', LOYALTYD_ENCRYPTION_KEY: encryptionKey };
    try {
      await queryOnce(
        test.ownerUrl,
        `UPDATE schema_migration SET timestamp = 1797200000209, name = 'OpenStandingsAnew1797200000209'`,
      );
      const why =
        'an earlier build has made this database, from which nothing leads to this release: give it an empty one';
      for (const command of [['migrate'], ['migrate', '--plan'], ['rebuild']]) {
        const { code, stdout, stderr } = await runProgram(env, ...(command as [string, ...string[]]));
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(why)]);
      }
      expect(await queryOnce(test.ownerUrl, 'SELECT name FROM schema_migration')).toHaveLength(1);
    } finally {
      await test.dispose();
    }
  });
});

describe('a daemon that owns nothing', () => {
  const role = `daemon_${process.pid}`;
  let test: TestDatabase;
  let owner: Record<string, string>;
  let daemon: Record<string, string>;

  beforeAll(async () => {
    test = await testDatabase({ migrate: false });
    owner = operationsOn(test.ownerUrl);
    daemon = operationsOn(await createPlainUser(test.adminUrl, role));
  });

  afterAll(async () => {
    const server = new URL(test.adminUrl);
    await test.dispose();
    server.pathname = '/postgres';
    await dropUser(server.href, role);
  });

  const start = (): Promise<RunningProcess> =>
    startProcess({ ...programCommand('apps/daemon/src/main.ts'), env: daemon });

  it('does not set up an empty database: it says who must', async () => {
    await expect(start()).rejects.toThrow(
      new RegExp(
        `ended with 2[^]*the database is empty, and ${role} may not create tables in it; run \`loyaltyd migrate\``,
      ),
    );
  });

  it('is granted nothing by a command that names what is not there, or that is meant as a plan', async () => {
    const grant = (text: string, ...more: readonly string[]) => runProgram(owner, 'migrate', '--grant', text, ...more);
    expect(await grant(role, '--plan')).toMatchObject({ code: 2, stdout: '' });
    const missing = await grant('nobody');
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no role nobody: create it') as string,
    });
    await expect(start()).rejects.toThrow(/ended with 1/);
  });

  it('works once it has been granted what it needs, however often', async () => {
    const granted = `the schema is up to date\n${role} may run the application\n`;
    for (let times = 0; times < 2; times += 1) {
      expect(await runProgram(owner, 'migrate', '--grant', role)).toMatchObject({ code: 0, stdout: granted });
    }
    await (await start()).stop();
    const { stdout } = await runProgram(daemon, 'doctor', '-o', 'json');
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] };
    expect(checks).toContainEqual(expect.objectContaining({ name: 'postgres.role', state: 'ok' }));
    expect(await runProgram(daemon, 'migrate', '--grant', role)).toMatchObject({ code: 2 });
    expect(await runProgram(daemon, 'maintain')).toMatchObject({ code: 2 });
  });
});

describe('a copy of a database in another place', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
  });

  afterAll(async () => {
    await harness.close();
  });

  it('delivers to no other partner until an operator says that it is theirs', async () => {
    await (await harness.startDaemon()).stop();
    const other = { WALLET_BASE_URL: 'http://127.0.0.1:9/brands', WALLET_AUTH_URL: 'http://127.0.0.1:9' };
    await expect(harness.startDaemon(other)).rejects.toThrow(/ended with 2[^]*adopt-environment/);
    const adopted = await runProgram({ ...harness.environment, ...other }, 'migrate', '--adopt-environment');
    expect(adopted).toMatchObject({ code: 0, stderr: '' });
    expect(adopted.stdout).toContain('now belongs to http://127.0.0.1:9/brands (sandbox)');
    await expect(harness.startDaemon()).rejects.toThrow(
      /ended with 2[^]*belongs to the partner at http:\/\/127.0.0.1:9/,
    );
  });
});
