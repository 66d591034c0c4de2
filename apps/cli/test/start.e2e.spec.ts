import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const commandTimeoutMs = 180_000;

/** Tells on standard error, at the end, every file that was loaded. */
const tellingLoads = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  process.on('exit', () => process.stderr.write(JSON.stringify({ loaded: urls })));
`)}`;

/** What a command loads, and how it ended. */
async function loads(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly urls: readonly string[] }> {
  const args = ['--import', tellingLoads, `${root}apps/cli/bin/loyaltyd.js`, ...words];
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env, timeout: commandTimeoutMs }, (error, _stdout, stderr) => {
      const told = /\{"loaded":.*\}/.exec(stderr)?.[0];
      const code = error === null ? 0 : error.code;
      if (told === undefined || typeof code !== 'number') reject(new Error(stderr, { cause: error }));
      else resolve({ code, urls: (JSON.parse(told) as { loaded: string[] }).loaded });
    });
  });
}

function packagesOf(urls: readonly string[]): string[] {
  const names = urls.map((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

const nowhere = ['--server', 'http://127.0.0.1:1', '--token', 't'];

describe('the start of loyaltyd', () => {
  it.each<[string[], number]>([
    [['--help'], 0],
    [['get', 'intents', '--help'], 0],
    [['get', 'intents', ...nowhere], 1],
    [['describe', 'intent', 'x', ...nowhere], 1],
    [['replay', 'intents', '-q', 'status=parked', '--yes', '--reason', 'why', ...nowhere], 1],
    [['doctor', ...nowhere], 1],
  ])(
    'loads for %j nothing of ours but the bounded reader, and no package but the one that reads words',
    async (words, code) => {
      const loaded = await loads(...words);
      expect({ code: loaded.code, packages: packagesOf(loaded.urls) }).toEqual({ code, packages: ['commander'] });
      const ours = loaded.urls.filter((url) => /\/dist\/(?:libs|apps\/daemon)\//.test(url));
      expect(ours.filter((url) => !url.includes('/dist/libs/contracts/src/json/'))).toEqual([]);
    },
  );
});
