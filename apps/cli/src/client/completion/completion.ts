import type { Command } from 'commander';

import { bashScript } from './bash-script.js';
import type { CommandWords } from './describe-program.js';
import { describeProgram } from './describe-program.js';
import { fishScript } from './fish-script.js';
import { zshScript } from './zsh-script.js';

type Shell = 'bash' | 'zsh' | 'fish';

const scripts: Readonly<Record<Shell, (commands: readonly CommandWords[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The completion script of a shell for everything that a program can do. */
export function completionScript(program: Command, shell: Shell): string {
  return scripts[shell](describeProgram(program));
}
