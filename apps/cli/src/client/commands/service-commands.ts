import type { Command } from 'commander';

import type { ActFlags } from '../act/act-on-intent.js';
import type { LoginFlags } from '../login/login.js';
import { withAct } from '../options/act-options.js';
import { withConnection } from '../options/connection-options.js';
import { withOutput } from '../options/output-options.js';
import type { DoctorFlags } from '../service/doctor.js';
import type { Shell } from './shell.js';

function addReload(program: Command, { finish, terminal }: Shell): void {
  const command = program
    .command('reload')
    .description('have the programs file read again; an invalid one changes nothing');
  withAct(command).action(async (flags: ActFlags) => {
    const { reload } = await import('../service/reload.js');
    finish(await reload(terminal, flags));
  });
}

function addDoctor(program: Command, { finish, terminal }: Shell): void {
  const command = program
    .command('doctor')
    .description(
      'check every dependency, here or at --server; say what is wrong and how to mend it; nothing is changed',
    );
  withConnection(withOutput(command)).action(async (flags: DoctorFlags) => {
    const { doctor } = await import('../service/doctor.js');
    finish(await doctor(terminal, flags));
  });
}

function addLogin(program: Command, { finish, terminal }: Shell): void {
  const command = program
    .command('login')
    .description('keep a server and a token as a profile; the token is asked for, or read from standard input')
    .option('--list', 'show the profiles')
    .option('--use', 'make --profile the one that is used where none is named')
    .option('--remove', 'forget --profile');
  withConnection(command).action(async (flags: LoginFlags) => {
    const { login } = await import('../login/login.js');
    finish(await login(terminal, flags));
  });
}

/** The daemon itself, and the way to it. */
export function addService(program: Command, shell: Shell): void {
  addReload(program, shell);
  addDoctor(program, shell);
  addLogin(program, shell);
}
