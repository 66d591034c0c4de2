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
 * Keeps dist/ true to the sources, beside the calls of swc and Vite in `npm run build`. It has two parts, `server`, which
 * is meant where none is named, and `console`, the web console in dist/console:
 *   node apps/cli/bin/compiled.js seal PART      removes what has no source any more, then marks the part as complete
 *   node apps/cli/bin/compiled.js check PART     exit 0 when it is complete and no source of it is newer, else 1
 *   node apps/cli/bin/compiled.js provide PART   builds it unless `check` says that it is not needed; of `console` both
 * Pruned afterwards, not emptied before: programs that run from dist/ meanwhile keep their files.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const lock = join(root, 'node_modules/.cache/loyaltyd-build.lock');
const compiledFile = /\.js(\.map)?$/;
const lockPollMs = 100;
const lockWaitMsMax = 180_000;

const isSpec = (name) => name.endsWith('.spec.ts');
const server = {
  what: 'compiling',
  script: 'build:server',
  seal: join(root, 'dist/.complete'),
  folders: ['apps', 'libs', 'migrations', 'test'],
  settings: ['.swcrc'],
  isSource: (name) => name.endsWith('.ts') && !isSpec(name),
};
const webConsole = {
  what: 'building the console',
  script: 'build:console',
  seal: join(root, 'dist/.console-complete'),
  folders: ['apps/console'],
  // The bundle holds packages as well.
  settings: ['package-lock.json'],
  isSource: (name) => /\.(?:tsx?|css|html)$/.test(name) && !isSpec(name),
};
const parts = { server, console: webConsole };
const consoleFolders = ['apps/console', 'dist/console'].map((folder) => join(root, folder));

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
const isOfConsole = (path) => consoleFolders.some((folder) => path === folder || path.startsWith(`${folder}/`));

function pruneServer() {
  const isStale = (file) => compiledFile.test(file) && !isOfConsole(file) && modifiedMs(sourceOf(file)) === 0;
  for (const file of filesUnder('dist').filter(isStale)) rmSync(file, { force: true });
  // Made of what dist/ held before; a start makes it anew.
  rmSync(join(root, 'dist/.compile-cache'), { recursive: true, force: true });
}

function sealPart(part) {
  // The build of the console prunes by itself: its files are named after what they hold.
  if (part === server) pruneServer();
  writeFileSync(part.seal, '');
  return true;
}

/** Every command waits for this in a checkout: no list is made, and the first newer source ends it. */
function isOlder(folder, part, sealedMs) {
  if (!existsSync(folder)) return true;
  return readdirSync(folder, { withFileTypes: true }).every((entry) => {
    const path = join(folder, entry.name);
    if (part === server && isOfConsole(path)) return true;
    if (entry.isDirectory()) return isOlder(path, part, sealedMs);
    return !part.isSource(entry.name) || modifiedMs(path) <= sealedMs;
  });
}

/** True as well where there are no sources at all: an installation has only dist/. */
function isComplete(part) {
  if (part === webConsole && !existsSync(join(root, 'apps/console/index.html'))) return true;
  const sealedMs = modifiedMs(part.seal);
  if (sealedMs === 0 || part.settings.some((file) => modifiedMs(join(root, file)) > sealedMs)) return false;
  return part.folders.every((folder) => isOlder(join(root, folder), part, sealedMs));
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** 0: nobody any more, or not yet. Whoever is ready may remove the lock at any moment. */
function lockHolder() {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return 0;
    throw error;
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
    const holder = lockHolder();
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
function providePart(part) {
  if (isComplete(part)) return true;
  waitForLock();
  try {
    if (isComplete(part)) return true;
    process.stderr.write(`loyaltyd: ${part.what} (once)\n`);
    const { status } = spawnSync('npm', ['run', '--silent', part.script], { cwd: root, stdio: ['ignore', 2, 2] });
    return status === 0;
  } finally {
    rmSync(lock, { force: true });
  }
}

export const provideCompiled = () => providePart(server);
export const provideConsole = () => providePart(webConsole);

/** Whoever asks for a part gets it, or exit code 1 and a line below what the build has said. */
function provide(asked) {
  const failed = (asked === server ? [server] : [server, webConsole]).find((part) => !providePart(part));
  if (failed !== undefined) process.stderr.write(`loyaltyd: ${failed.what} failed: see above\n`);
  return failed === undefined;
}

const actions = { seal: sealPart, check: isComplete, provide };

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const action = actions[process.argv[2]];
  const part = parts[process.argv[3] ?? 'server'];
  if (action === undefined || part === undefined) {
    throw new Error('usage: node apps/cli/bin/compiled.js seal|check|provide [server|console]');
  }
  process.exitCode = action(part) ? 0 : 1;
}
