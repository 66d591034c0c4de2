import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { programCommand } from '#test-support';

/** Keeps every module that the process loads, and writes them down at its end: a pipe would lose what `exit` cuts off. */
const recorder = `
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const urls = new Set();
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    urls.add(found.url);
    return found;
  },
});
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES, JSON.stringify([...urls])));`;

/** URLs of what the command loads until it says that nothing is configured. */
export const loadedBy = (...words: readonly string[]): readonly string[] => {
  const { command, args, cwd } = programCommand('apps/cli/src/main.ts', ...words);
  const recording = ['--import', `data:text/javascript,${encodeURIComponent(recorder)}`];
  const folder = mkdtempSync(join(tmpdir(), 'loyaltyd-loaded-'));
  try {
    const file = join(folder, 'modules.json');
    spawnSync(command, [...recording, ...args], { cwd, env: { LOADED_MODULES: file }, stdio: 'ignore' });
    return JSON.parse(readFileSync(file, 'utf8')) as readonly string[];
  } finally {
    rmSync(folder, { recursive: true });
  }
};
