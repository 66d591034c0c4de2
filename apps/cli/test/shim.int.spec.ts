import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../bin/', import.meta.url));

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const saying = (pattern: RegExp): string => expect.stringMatching(pattern) as string;

/** A project that holds nothing but the shim; this Node counts as too old in it when `engines` says so. */
describe('the committed shim', () => {
  let root: string;

  const plant = async (path: string, text: string): Promise<string> => {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };

  const plantProject = async (engines: string, scripts: object = {}): Promise<void> => {
    await plant('package.json', JSON.stringify({ type: 'module', engines: { node: engines }, scripts }));
    await cp(bin, join(root, 'apps/cli/bin'), { recursive: true });
  };

  /** In place of the project's own Node. */
  const plantNode = async (script: string): Promise<void> =>
    chmod(await plant('node_modules/node/bin/node', `#!/bin/sh\n${script}\n`), 0o755);

  const run = (
    words: readonly string[],
    onOutput: (child: ReturnType<typeof spawn>) => void = () => undefined,
  ): Promise<End> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [join(root, 'apps/cli/bin/loyaltyd.js'), ...words], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (text) => {
        stdout += String(text);
        onOutput(child);
      });
      child.stderr.on('data', (text) => (stderr += String(text)));
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    });

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'loyaltyd-shim-'));
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  describe('on a Node that is too old', () => {
    beforeEach(() => plantProject('>=999.1'));

    it('runs itself on the Node of the project, and passes on words, output and exit code', async () => {
      await plantNode('shift; echo "$@"; echo problem >&2; exit 7');
      expect(await run(['start', 'a b'])).toEqual({
        code: 7,
        signal: null,
        stdout: 'start a b\n',
        stderr: 'problem\n',
      });
    });

    it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('passes %s on', async (signal) => {
      // Not in sh, which cannot trap what its parent ignores, as `nohup` makes it.
      const wait = `process.on('${signal}', () => process.exit(5)); setInterval(() => {}, 1000); console.log('up')`;
      await plantNode(`exec '${process.execPath}' -e "${wait}"`);
      expect(await run([], (child) => child.kill(signal))).toMatchObject({ code: 5 });
    });

    it('ends by the signal that ended the program', async () => {
      await plantNode('kill -TERM $$');
      expect(await run([])).toMatchObject({ code: null, signal: 'SIGTERM' });
    });

    it('says in one line that it cannot run', async () => {
      expect(await run([])).toEqual({
        code: 1,
        signal: null,
        stdout: '',
        stderr: `loyaltyd: Node 999.1 or newer is needed, this is ${process.versions.node}\n`,
      });
    });
  });

  describe('on a Node that will do', () => {
    const program = 'process.stdout.write(`compiled ${process.argv.slice(2)}`);';
    const buildScript = `/bin/mkdir -p dist/apps/cli/src && echo '${program}' > dist/apps/cli/src/main.js && : > dist/.complete && echo built >> builds`;

    it('compiles once, and says so on standard error', async () => {
      await plantProject('>=20', { 'build:server': buildScript });
      await plant('apps/cli/src/main.ts', '');
      expect(await run(['--help'])).toMatchObject({ code: 0, stdout: 'compiled --help', stderr: saying(/compiling/) });
      expect(await run([])).toMatchObject({ code: 0, stdout: 'compiled ', stderr: '' });
    });

    it('compiles once when several programs start together', async () => {
      await plantProject('>=20', { 'build:server': `/bin/sleep 0.3 && ${buildScript}` });
      await plant('apps/cli/src/main.ts', '');
      const runs = await Promise.all([run(['1']), run(['2']), run(['3'])]);
      expect(runs.map(({ stdout }) => stdout)).toEqual(['compiled 1', 'compiled 2', 'compiled 3']);
      expect(runs.filter(({ stderr }) => stderr !== '')).toHaveLength(1);
    });

    it('runs what is installed where there are no sources', async () => {
      await plantProject('>=20');
      await plant('dist/apps/cli/src/main.js', program);
      await plant('dist/.complete', '');
      expect(await run(['x'])).toMatchObject({ code: 0, stdout: 'compiled x', stderr: '' });
    });

    it('does not run what could not be compiled', async () => {
      await plantProject('>=20', { 'build:server': 'echo broken source >&2; exit 1' });
      await plant('dist/apps/cli/src/main.js', program);
      expect(await run([])).toMatchObject({
        code: 1,
        stdout: '',
        stderr: saying(/broken source\n.*could not be compiled/s),
      });
    });

    it('is not held up by a lock whose builder was killed', async () => {
      await plantProject('>=20', { 'build:server': buildScript });
      await plant('apps/cli/src/main.ts', '');
      await plant('node_modules/.cache/loyaltyd-build.lock', '999999999');
      expect(await run([])).toMatchObject({ code: 0, stdout: 'compiled ' });
    });
  });
});
