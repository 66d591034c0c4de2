import type { Command } from 'commander';
import { Argument } from 'commander';

import { exitOk } from '../../command-line/exit-codes.js';
import type { Shell } from './shell.js';

const example = `
Bash, for this session and all that come:
  source <(loyaltyd completion bash)
  loyaltyd completion bash > ~/.local/share/bash-completion/completions/loyaltyd
zsh:  loyaltyd completion zsh > "\${fpath[1]}/_loyaltyd"
fish: loyaltyd completion fish > ~/.config/fish/completions/loyaltyd.fish`;

/** `loyaltyd completion SHELL` */
export function addCompletion(program: Command, { finish, terminal }: Shell): void {
  program
    .command('completion')
    .description('print a script with which a shell completes commands and flags')
    .addArgument(new Argument('<shell>', 'which').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', example)
    .action(async (name: 'bash' | 'zsh' | 'fish') => {
      const { completionScript } = await import('../completion/completion.js');
      await terminal.print(completionScript(program, name));
      finish(exitOk);
    });
}
