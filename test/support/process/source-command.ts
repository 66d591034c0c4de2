import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { StartProcessOptions } from './start-process.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const compileCache = fileURLToPath(new URL('../compile-cache.js', import.meta.url));
let isProvided = false;

/** Compiles what is newer than dist/; several test files at once wait for one another there. */
function provideCompiled(): void {
  if (isProvided) return;
  const args = [`${root}apps/cli/bin/compiled.js`, 'provide'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the sources could not be compiled: ${stderr}`);
  isProvided = true;
}

/**
 * Command and arguments that run a program of these sources as it is shipped, compiled, from the checkout's root:
 * `startProcess({ ...sourceCommand('apps/daemon/src/main.ts'), env })`. Compiling at each start would take as long as the start.
 */
export const sourceCommand = (
  file: string,
  ...args: readonly string[]
): Required<Pick<StartProcessOptions, 'command' | 'args' | 'cwd'>> => {
  provideCompiled();
  const program = `${root}dist/${file.replace(/\.ts$/, '.js')}`;
  return { command: process.execPath, args: ['--import', compileCache, program, ...args], cwd: root };
};
