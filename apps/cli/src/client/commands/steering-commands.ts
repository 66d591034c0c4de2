import type { Command } from 'commander';
import { Option } from 'commander';

import type { ActFlags } from '../act/act-on-intent.js';
import type { PauseFlags } from '../act/pauses.js';
import type { Steering } from '../act/steer.js';
import type { JobName } from '../bulk/job.js';
import { withAct } from '../options/act-options.js';
import { parseJobName } from '../options/parse-job-name.js';
import { operations } from '../query/query-keys.js';
import { addCancelIntent } from './intent-commands.js';
import type { Shell } from './shell.js';

const words: Readonly<Record<Steering, string>> = {
  pause: 'begin nothing more of',
  resume: 'go on with',
  cancel: 'end, whatever is left undone,',
};

function addSteering(verb: Command, steering: Steering, { finish, terminal }: Shell): void {
  const replay = verb.command('replay').description(`${words[steering]} a replay`).argument('<id>');
  withAct(replay).action(async (id: string, flags: ActFlags) => {
    const { steerReplay } = await import('../act/steer.js');
    finish(await steerReplay(terminal, { id, steering }, flags));
  });
  const job = verb
    .command('job')
    .description(`${words[steering]} a reconciliation, adoption, provisioning, erasure or export`)
    .argument('<kind/id>', 'as `loyaltyd get jobs` shows it', parseJobName);
  withAct(job).action(async (name: JobName, flags: ActFlags) => {
    const { steerJob } = await import('../act/steer.js');
    finish(await steerJob(terminal, { name, steering }, flags));
  });
}

function withScope(command: Command): Command {
  const scoped = command
    .option('--program <name>', 'of this program; of every one when left out')
    .addOption(new Option('--operation <name>', 'this one; every one when left out').choices(operations));
  return withAct(scoped);
}

/** `loyaltyd pause`, `resume` and `cancel`. */
export function addSteeringVerbs(program: Command, shell: Shell): void {
  const { finish, terminal } = shell;
  const pause = program.command('pause').description('begin nothing more of a program, an operation or everything');
  withScope(pause).action(async (flags: PauseFlags) => {
    finish(await (await import('../act/pauses.js')).pause(terminal, flags));
  });
  addSteering(pause, 'pause', shell);
  const resume = program.command('resume').description('lift a pause; exactly what is named must be paused');
  withScope(resume).action(async (flags: PauseFlags) => {
    finish(await (await import('../act/pauses.js')).resume(terminal, flags));
  });
  addSteering(resume, 'resume', shell);
  const cancel = program.command('cancel').description('do not send an intent; end a replay or a job');
  addCancelIntent(cancel, shell);
  addSteering(cancel, 'cancel', shell);
}
