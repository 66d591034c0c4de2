import type { Command } from 'commander';

import { addCompletion } from './completion-command.js';
import { addDescribe } from './describe-commands.js';
import { addGet } from './get-commands.js';
import { addCorrect, addReplay, addResolve } from './intent-commands.js';
import { addJobs } from './job-commands.js';
import { addQuarantineVerbs } from './quarantine-commands.js';
import { addService } from './service-commands.js';
import type { Shell } from './shell.js';
import { addSteeringVerbs } from './steering-commands.js';

/** The operator's commands: all of them ask the operations API. What they need is imported when they run. */
export function addClientCommands(program: Command, shell: Shell): void {
  program.commandsGroup('Look:');
  addGet(program, shell);
  addDescribe(program, shell);
  program.commandsGroup('Act:');
  addReplay(program, shell);
  addResolve(program, shell);
  addCorrect(program, shell);
  addSteeringVerbs(program, shell);
  addQuarantineVerbs(program, shell);
  program.commandsGroup('Bulk:');
  addJobs(program, shell);
  program.commandsGroup('Service:');
  addService(program, shell);
  addCompletion(program, shell);
}
