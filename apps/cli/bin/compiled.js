import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Keeps dist/ true to the sources, beside the one swc call of `npm run build`:
 *   node apps/cli/bin/compiled.js seal      removes what has no source any more, then marks dist/ as complete
 *   node apps/cli/bin/compiled.js check     exit 0 when dist/ is complete and no source is newer, else 1
 *   node apps/cli/bin/compiled.js provide   builds unless `check` says that it is not needed
 * Pruned afterwards, not emptied before: programs that run from dist/ meanwhile keep their files.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = ['apps', 'libs', 'migrations', 'test'];
const seal = join(root, 'dist/.complete');
const lock = join(root, 'node_modules/.cache/loyaltyd-build.lock');
const compiledFile = /\.js(\.map)?$/;
const lockPollMs = 100;
const lockWaitMsMax = 180_000;

function filesUnder(folder) {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

const modifiedMs = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sourceOf = (compiled) => join(root, relative(join(root, 'dist'), compiled).replace(compiledFile, '.ts'));

function sealDist() {
  const stale = filesUnder('dist').filter((file) => compiledFile.test(file) && modifiedMs(sourceOf(file)) === 0);
  for (const file of stale) rmSync(file, { force: true });
  // Made of what dist/ held before; a start makes it anew.
  rmSync(join(root, 'dist/.compile-cache'), { recursive: true, force: true });
  writeFileSync(seal, '');
}

const isSource = (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts');

/** Every command waits for this in a checkout: no list is made, and the first newer source ends it. */
function isOlder(folder, sealedMs) {
  if (!existsSync(folder)) return true;
  return readdirSync(folder, { withFileTypes: true }).every((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return isOlder(path, sealedMs);
    return !isSource(entry.name) || modifiedMs(path) <= sealedMs;
  });
}

/** True as well where there are no sources at all: an installation has only dist/. */
export function isComplete() {
  const sealedMs = modifiedMs(seal);
  if (sealedMs === 0 || modifiedMs(join(root, '.swcrc')) > sealedMs) return false;
  return sources.every((folder) => isOlder(join(root, folder), sealedMs));
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** One build at a time, or a program would read what another build is writing. A killed builder's lock is void. */
function tryLock() {
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const holder = Number(statSync(lock, { throwIfNoEntry: false }) ? readFileSync(lock, 'utf8') : 0);
    if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true });
    return false;
  }
}

function waitForLock() {
  const giveUpAt = Date.now() + lockWaitMsMax;
  while (!tryLock()) {
    if (Date.now() > giveUpAt) throw new Error(`another build holds ${lock}`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lockPollMs);
  }
}

/** Builds once when needed. Standard output stays the program's own. Returns false when the build failed. */
export function provideCompiled() {
  if (isComplete()) return true;
  waitForLock();
  try {
    if (isComplete()) return true;
    process.stderr.write('loyaltyd: compiling (once)\n');
    const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
    return status === 0;
  } finally {
    rmSync(lock, { force: true });
  }
}

const actions = {
  seal: () => {
    sealDist();
    return true;
  },
  check: isComplete,
  provide: provideCompiled,
};

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const action = actions[process.argv[2]];
  if (action === undefined) throw new Error('usage: node apps/cli/bin/compiled.js seal|check|provide');
  process.exitCode = action() ? 0 : 1;
}
