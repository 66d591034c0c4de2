import { fileURLToPath } from 'node:url';
import type { StartProcessOptions } from './start-process.js';

const root = new URL('../../../', import.meta.url);

/**
 * Command and arguments that run a program from its source, without a build, from the checkout's root:
 * `startProcess({ ...sourceCommand('apps/daemon/src/main.ts'), env })`.
 */
export const sourceCommand = (
  file: string,
  ...args: readonly string[]
): Required<Pick<StartProcessOptions, 'command' | 'args' | 'cwd'>> => {
  const loader = fileURLToPath(new URL('./test/support/source-loader.js', root));
  return { command: process.execPath, args: ['--import', loader, file, ...args], cwd: fileURLToPath(root) };
};
