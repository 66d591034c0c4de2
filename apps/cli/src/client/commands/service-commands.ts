import type { Command } from 'commander';
import { Argument } from 'commander';

import { exitOk } from '../../command-line/command-failure.js';
import type { CommandContext } from '../../command-line/terminal.js';
import { withAct, withConnection, withOutput } from '../flags.js';
import type { ActFlags } from '../act.js';
import type { LoginFlags } from '../login.js';
import type { DoctorFlags } from '../service.js';

function addReload(program: Command, { finish, terminal }: CommandContext): void {
  const command = program
    .command('reload')
    .description('have the programs file read again; an invalid one changes nothing');
  withAct(command).action(async (flags: ActFlags) => {
    const { reload } = await import('../service.js');
    finish(await reload(terminal, flags));
  });
}

function addDoctor(program: Command, { finish, terminal }: CommandContext): void {
  const command = program
    .command('doctor')
    .description(
      'check every dependency, here or at --server; say what is wrong and how to mend it; nothing is changed',
    );
  withConnection(withOutput(command)).action(async (flags: DoctorFlags) => {
    const { doctor } = await import('../service.js');
    finish(await doctor(terminal, flags));
  });
}

function addLogin(program: Command, { finish, terminal }: CommandContext): void {
  const command = program
    .command('login')
    .description('keep a server and a token as a profile; the token is asked for, or read from standard input')
    .option('--list', 'show the profiles')
    .option('--use', 'make --profile the one that is used where none is named')
    .option('--remove', 'forget --profile');
  withConnection(command).action(async (flags: LoginFlags) => {
    const { login } = await import('../login.js');
    finish(await login(terminal, flags));
  });
}

/** The daemon itself, and the way to it. */
export function addService(program: Command, context: CommandContext): void {
  addReload(program, context);
  addDoctor(program, context);
  addLogin(program, context);
}

const example = `
Bash, for this session and all that come:
  source <(loyaltyd completion bash)
  loyaltyd completion bash > ~/.local/share/bash-completion/completions/loyaltyd
zsh:  loyaltyd completion zsh > "\${fpath[1]}/_loyaltyd"
fish: loyaltyd completion fish > ~/.config/fish/completions/loyaltyd.fish`;

/** `loyaltyd completion SHELL` */
export function addCompletion(program: Command, { finish, terminal }: CommandContext): void {
  program
    .command('completion')
    .description('print a script with which a shell completes commands and flags')
    .addArgument(new Argument('<shell>', 'which').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', example)
    .action(async (name: 'bash' | 'zsh' | 'fish') => {
      const { completionScript } = await import('../completion.js');
      await terminal.print(completionScript(program, name));
      finish(exitOk);
    });
}
