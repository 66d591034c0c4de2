import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parse, stringify } from 'yaml';

import { programCommand } from '#test-support';

import type { ContractReport } from './report.js';
import { specificationPath } from './specification.js';
import type { ContractSandbox } from './testing/contract-sandbox.js';
import { contractSandbox } from './testing/contract-sandbox.js';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as a person's script would: without a terminal. */
async function run(...args: readonly string[]): Promise<Ended> {
  const { command, args: start, cwd } = programCommand('test/contract/main.ts', ...args);
  return new Promise((resolve) => {
    const child = execFile(command, [...start], { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

describe('npm run contract', () => {
  let sandbox: ContractSandbox;
  let folder: string;
  let service: readonly string[];

  beforeAll(async () => {
    [sandbox, folder] = await Promise.all([contractSandbox(), mkdtemp(join(tmpdir(), 'loyaltyd-contract-cli-'))]);
    const secretFile = join(folder, 'secret');
    await writeFile(secretFile, 'sandbox');
    const { baseUrl, authUrl } = sandbox.target;
    const addresses = ['--base-url', baseUrl, '--auth-url', authUrl];
    service = [...addresses, '--client-id', 'sandbox', '--client-secret-file', secretFile, '--scope', 'admin'];
  });

  afterAll(async () => {
    await sandbox.stop();
    await rm(folder, { recursive: true });
  });

  const ledgerLength = async (): Promise<number> => {
    const response = await fetch(`${sandbox.target.authUrl}/__ledger?limit=10000`);
    return ((await response.json()) as { items: unknown[] }).items.length;
  };

  /** The default setup with changes of its own. */
  const setupFile = async (changes: object): Promise<string> => {
    const file = join(folder, 'setup.yaml');
    const setup = parse(await readFile(specificationPath('setup.yaml'), 'utf8')) as object;
    await writeFile(file, stringify({ ...setup, ...changes }));
    return file;
  };

  const reportOf = ({ stdout }: Ended): ContractReport => JSON.parse(stdout) as ContractReport;

  it('explains itself', async () => {
    const { code, stdout } = await run('--help');
    expect([code, stdout]).toEqual([0, expect.stringContaining('--base-url URL')]);
  });

  it('refuses wrong usage, an unreadable setup and a wrong dialect with 2', async () => {
    const dialect = join(folder, 'dialect.yaml');
    await writeFile(dialect, 'list: { names: { colour: red } }');
    const ends = await Promise.all([
      run('--only', 'lunch'),
      run(...service, '--setup', '/no/such/file'),
      run(...service, '--dialect', dialect),
    ]);
    expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual(Array(3).fill([2, '']));
    expect(ends.map(({ stderr }) => stderr).join()).toMatch(/--only wants.*cannot be read.*list\.names/s);
  });

  it('writes nothing when nobody is there to be asked, and says what it would have written', async () => {
    const { code, stderr } = await run(...service);
    expect(code).toBe(2);
    expect(stderr).toMatch(/at most so much will be written/);
    expect(stderr).toMatch(/\d+ x wallet pass \(issue\)/);
    expect(stderr).toMatch(/--yes/);
    expect(await ledgerLength()).toBe(0);
  });

  it('only reads when it is told so, and asks nobody', async () => {
    const setup = await setupFile({ tokenExpiryWaitMs: 0 });
    const ended = await run(...service, '--only', 'read', '--json', '--setup', setup);
    expect([ended.code, await ledgerLength()]).toEqual([0, 0]);
    const { rows, uniqueEnforced, faults } = reportOf(ended);
    expect(uniqueEnforced).toEqual([]);
    expect(faults).toBeNull();
    const found = rows.find(({ id }) => id === '4 / 4.5 query / unique_id');
    expect(found).toMatchObject({ verdict: 'not-run', problems: ['the setup names no knownMember'] });
    const refused = rows.filter(({ id }) => id === '7 / errors / 400 lookup');
    expect(refused.map(({ verdict }) => verdict)).toEqual(['passed', 'passed']);
  });

  it('runs twice against the same service without a collision, and tells no secret', async () => {
    const setup = await setupFile({ tokenExpiryWaitMs: 0, mayNot: ['update-brand'] });
    for (const time of ['first', 'second']) {
      const ended = await run(...service, '--yes', '--json', '--setup', setup);
      const report = reportOf(ended);
      const failed = report.rows.filter(({ verdict }) => verdict === 'failed');
      expect({ time, failed, code: ended.code, ok: report.ok }).toEqual({ time, failed: [], code: 0, ok: true });
      const notRun = report.rows.filter(({ verdict }) => verdict === 'not-run').map(({ problems }) => problems[0]);
      expect([...new Set(notRun)].map((reason) => reason?.replace(/for \d+ ms/, 'for N ms')).sort()).toEqual(
        [
          'the setup says that the account may not update-brand',
          "a token lives for N ms; the setup's tokenExpiryWaitMs is shorter",
        ].sort(),
      );
      expect(`${ended.stdout}${ended.stderr}`).not.toMatch(/client_secret=|Bearer [\w-]+\.|"sandbox"/);
    }
    expect(await ledgerLength()).toBeGreaterThan(200);
  });

  it('reports an assumption that is wrong, with what to set, and ends with 1', async () => {
    const dialect = join(folder, 'wrong.yaml');
    await writeFile(dialect, 'list: { names: { pageSize: perPage } }');
    const response = await fetch(`${sandbox.target.authUrl}/__ledger?operation=issue&program_id=2001&limit=1`);
    const { items } = (await response.json()) as { items: { uniqueId: string }[] };
    const setup = await setupFile({ tokenExpiryWaitMs: 0, knownMember: items[0]?.uniqueId });
    const { code, stdout } = await run(...service, '--only', 'read', '--dialect', dialect, '--setup', setup);
    expect(stdout).toMatch(/list\.names\.pageSize +"perPage" .*WRONG +list\.names\.pageSize: the query parameter/);
    expect(stdout).toMatch(/list\.names\.pageNumber +"pageNumber" .*right/);
    expect(code).toBe(1);
  });
});
