import type { Command } from 'commander';

import type { CommandContext } from '../../command-line/terminal.js';
import type { ActFlags } from '../act.js';
import { withAct, withConnection, withOutput } from '../flags.js';
import type { LoginFlags } from '../login.js';
import type { DoctorFlags, ReloadFlags } from '../service.js';

function addReload(program: Command, { finish, terminal }: CommandContext): void {
  const command = program
    .command('reload')
    .description(
      'have the programs file read again; one that is invalid, or dangerous for what is there, changes nothing',
    )
    .option(
      '--accept <change...>',
      'take it over with this dangerous change, such as club.purchaseKey; takes an admin',
    );
  withAct(command).action(async (flags: ReloadFlags) => {
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

function addNotices(program: Command, { finish, terminal }: CommandContext): void {
  const notices = program.command('notices').description('who is told without looking: docs/operations/notices.md');
  const command = notices.command('test').description('send a trial to each channel, and say whether it was taken');
  withAct(command).action(async (flags: ActFlags) => {
    const { tryNotices } = await import('../service.js');
    finish(await tryNotices(terminal, flags));
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
  addNotices(program, context);
  addLogin(program, context);
}
