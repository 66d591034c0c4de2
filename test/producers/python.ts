import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const script = resolve(import.meta.dirname, '../../.ci/python');
const lookMs = 20_000;
const fetchMs = 300_000;

interface Found {
  readonly path: string | null;
  readonly reason: string;
}

/** Python with the packages of producers, unless they would have to be fetched: only `.ci/run` (REQUIRE_PYTHON) does that unasked. */
function find(): Found {
  const isRequired = process.env['REQUIRE_PYTHON'] === '1';
  const { status, stdout, stderr, error } = spawnSync('bash', [script, ...(isRequired ? [] : ['--have'])], {
    encoding: 'utf8',
    timeout: isRequired ? fetchMs : lookMs,
  });
  if (status === 0) return { path: stdout.trim(), reason: '' };
  const said = error === undefined ? stderr.trim() : error.message;
  if (isRequired) throw new Error(`REQUIRE_PYTHON is set, and there is none for producers: ${said}`);
  return { path: null, reason: `no Python with the packages of producers: ${said}` };
}

const found = find();

/** Why there is none, and how to get it; null: it is here. */
export const pythonMissing: string | null = found.path === null ? found.reason : null;

/** Runs a script of this folder. @returns what it has printed, JSON */
export async function runPython(name: string, input: object): Promise<unknown> {
  if (found.path === null) throw new Error(found.reason);
  const child = spawn(found.path, [resolve(import.meta.dirname, name)], { stdio: 'pipe' });
  child.stdin.end(JSON.stringify(input));
  const [ended, stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  if (child.exitCode !== 0) throw new Error(`${name} ended with ${ended.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}
