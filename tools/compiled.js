import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Keeps dist/ true to the sources, beside the one swc call of `npm run build`:
 *   node tools/compiled.js seal    removes what has no source any more, then marks dist/ as complete
 *   node tools/compiled.js check   exit 0 when dist/ is complete and no source is newer, else 1
 * Pruned afterwards, not emptied before: programs that run from dist/ meanwhile keep their files.
 */
const sources = ['apps', 'libs', 'migrations', 'test'];
const seal = 'dist/.complete';
const compiledFile = /\.js(\.map)?$/;

function filesUnder(folder) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

const modifiedMs = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sourceOf = (compiled) => compiled.slice('dist/'.length).replace(compiledFile, '.ts');

function sealDist() {
  const stale = filesUnder('dist').filter((file) => compiledFile.test(file) && modifiedMs(sourceOf(file)) === 0);
  for (const file of stale) rmSync(file, { force: true });
  writeFileSync(seal, '');
}

function isComplete() {
  const sealedMs = modifiedMs(seal);
  const inputs = ['.swcrc', ...sources.flatMap(filesUnder).filter((file) => /(?<!\.spec)\.ts$/.test(file))];
  return sealedMs > 0 && inputs.every((file) => modifiedMs(file) <= sealedMs);
}

const actions = {
  seal: () => sealDist(),
  check: () => {
    process.exitCode = isComplete() ? 0 : 1;
  },
};
const action = actions[process.argv[2]];
if (action === undefined) throw new Error('usage: node tools/compiled.js seal|check');
action();
