import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { sourceCommand, type StartProcessOptions } from '#test-support';

const root = new URL('../../../', import.meta.url);
const extension = extname(import.meta.filename);

/** The command of a program of ours, compiled or from its source, as we are. */
export function programCommand(path: string): Pick<StartProcessOptions, 'command' | 'args' | 'cwd'> {
  if (extension === '.ts') return sourceCommand(`${path}.ts`);
  const flags = ['--disable-warning=TimeoutNegativeWarning'];
  return { command: process.execPath, args: [...flags, fileURLToPath(new URL(`${path}.js`, root))] };
}
