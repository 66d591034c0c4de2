import type { Command } from 'commander';
import { Option } from 'commander';

import { wrongUsage } from '../../command-line/command-failure.js';
import type { ActFlags } from '../act/act-on-intent.js';
import type { PauseFlags } from '../act/pauses.js';
import type { Steering } from '../act/steer.js';
import type { JobName } from '../bulk/job.js';
import { reasonText, withAct } from '../options/act-options.js';
import { withConnection } from '../options/connection-options.js';
import { withOutput } from '../options/output-options.js';
import { parseJobName } from '../options/parse-job-name.js';
import { parseReason } from '../options/parse-options.js';
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

interface ScopeFlags extends Omit<PauseFlags, 'reason'> {
  readonly reason?: string;
}

/** Commander would ask for a mandatory flag of `pause` at `pause replay`, too. */
function withScope(command: Command): Command {
  const reason = new Option('--reason <text>', `${reasonText} (required)`).argParser(parseReason);
  const scoped = command
    .option('--program <name>', 'of this program; of every one when left out')
    .addOption(new Option('--operation <name>', 'this one; every one when left out').choices(operations))
    .addOption(reason);
  return withConnection(withOutput(scoped));
}

function withReasonGiven({ reason, ...flags }: ScopeFlags): PauseFlags {
  if (reason === undefined) throw wrongUsage("required option '--reason <text>' not specified");
  return { ...flags, reason };
}

/** `loyaltyd pause`, `resume` and `cancel`. */
export function addSteeringVerbs(program: Command, shell: Shell): void {
  const { finish, terminal } = shell;
  const pause = program.command('pause').description('begin nothing more of a program, an operation or everything');
  withScope(pause).action(async (flags: ScopeFlags) => {
    const asked = withReasonGiven(flags);
    finish(await (await import('../act/pauses.js')).pause(terminal, asked));
  });
  addSteering(pause, 'pause', shell);
  const resume = program.command('resume').description('lift a pause; exactly what is named must be paused');
  withScope(resume).action(async (flags: ScopeFlags) => {
    const asked = withReasonGiven(flags);
    finish(await (await import('../act/pauses.js')).resume(terminal, asked));
  });
  addSteering(resume, 'resume', shell);
  const cancel = program.command('cancel').description('do not send an intent; end a replay or a job');
  addCancelIntent(cancel, shell);
  addSteering(cancel, 'cancel', shell);
}
