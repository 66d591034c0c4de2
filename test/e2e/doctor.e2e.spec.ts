import { execFile } from 'node:child_process';

import type { DoctorReport } from '#contracts';
import type { EmbeddedPostgres } from '#embedded';
import { startEmbeddedPostgres, waitUntil } from '#embedded';
import { programCommand } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Node, the sources' loader and a loaded machine. */
const commandTimeoutMs = 60_000;

describe('loyaltyd doctor', () => {
  let harness: Harness;
  let postgres: EmbeddedPostgres;
  let environment: Readonly<Record<string, string>>;

  beforeAll(async () => {
    // The server of the tests trades its safety for speed, and the doctor would say so.
    [harness, postgres] = await Promise.all([openHarness(), startEmbeddedPostgres({ database: 'loyaltyd' })]);
    environment = { ...harness.environment, DATABASE_URL: postgres.url, OPS_TOKENS: apiTokens };
  });

  afterAll(async () => {
    await harness.close();
    await postgres.stop();
  });

  const doctor = (changes: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Run> =>
    new Promise((resolve, reject) => {
      const { command, args, cwd } = programCommand('apps/cli/src/main.ts', 'doctor', ...words);
      const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment, ...changes };
      execFile(command, [...args], { cwd, env, timeout: commandTimeoutMs }, (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === 'number') resolve({ code, stdout, stderr });
        else reject(new Error(`it did not end: ${stdout}${stderr}`, { cause: error }));
      });
    });

  it('needs no daemon: says what an installation lacks that has never been started, and fails nothing', async () => {
    const { code, stdout, stderr } = await doctor({}, '-o', 'json');
    const report = JSON.parse(stdout) as DoctorReport;
    process.stderr.write(`doctor, nothing started: ${report.durationMs} ms\n`);
    expect({ code, stderr, ok: report.ok }).toEqual({ code: 0, stderr: '', ok: true });
    const schema = report.checks.find(({ name }) => name === 'postgres.schema');
    expect(schema).toMatchObject({ state: 'warning', detail: 'the database is empty' });
  });

  it('finds all well but that it owns the tables where a daemon has set up its database, by its own environment and by the API', async () => {
    const daemon = await harness.startDaemon({ DATABASE_URL: postgres.url, OPS_TOKENS: apiTokens });
    const viewer = new ApiClient(daemon, 'viewer');
    const isWell = async (): Promise<DoctorReport | undefined> => {
      const { status, body } = await viewer.get('/doctor');
      expect(status).toBe(200);
      const report = body as DoctorReport;
      const troubles = report.checks.filter(({ state }) => state === 'warning' || state === 'failed');
      return troubles.map(({ name }) => name).join() === 'postgres.role' ? report : undefined;
    };
    // The consumer joins its group within seconds.
    const report = await waitUntil(isWell, {
      what: 'a report without other troubles',
      timeoutMs: 60_000,
      intervalMs: 1_000,
    });
    expect(report.ok).toBe(true);
    const names = report.checks.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['kafka.group-owner', 'processes.programs', 'clock.partner', 'installation.keys']),
    );

    const { code, stdout } = await doctor({});
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {7}kafka\.group +\S+: 1 members, Stable$/m);
    expect(stdout).toMatch(/\d+ ok, 1 warning, 0 failed, \d skipped in \d+\.\d s\n$/);
  });

  it('ends with 1 where something failed, and says what to do', async () => {
    const { code, stdout } = await doctor({ KAFKA_BROKERS: '127.0.0.1:1', WALLET_CLIENT_SECRET: 'hunter2' });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^FAILED {3}kafka\.connection +127\.0\.0\.1:1: cannot be reached \(ECONNREFUSED\)\n +-> Is the broker up/m,
    );
    expect(stdout).toMatch(/^FAILED {3}partner\.token +the partner refuses our client \(http-401\)\n +-> /m);
    expect(stdout).not.toContain('hunter2');
  });

  it('ends with 2 where the configuration is wrong, one line for each variable', async () => {
    const { code, stdout } = await doctor({ OPS_TOKENS: '', LOYALTYD_PROGRAMS: '/nonexistent.yaml' }, '-o', 'json');
    expect(code).toBe(2);
    const { checks } = JSON.parse(stdout) as DoctorReport;
    expect(checks.filter(({ state }) => state === 'failed').map(({ name }) => name)).toEqual([
      'environment.OPS_TOKENS',
      'programs.file',
    ]);
    expect((await doctor({}, '-o', 'xml')).code).toBe(2);
  });
});
