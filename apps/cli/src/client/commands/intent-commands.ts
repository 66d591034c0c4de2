import type { Command } from 'commander';
import { Option } from 'commander';

import type { ActFlags, IntentAct, PutBackFlags } from '../act/act-on-intent.js';
import type { CorrectFlags } from '../act/correct-intent.js';
import type { ReplayFlags } from '../act/replay-intents.js';
import { withAct, withReason } from '../options/act-options.js';
import { withSince } from '../options/output-options.js';
import { parseJobId, parseRate } from '../options/parse-options.js';
import type { Shell } from './shell.js';

const forceText = 'also what was put back often without success; admin only';
const idText = 'PROGRAM~MEMBER~SEQ, as `loyaltyd get intents` shows it';

async function actOn({ finish, terminal }: Shell, act: IntentAct, flags: PutBackFlags): Promise<void> {
  const { actOnIntent } = await import('../act/act-on-intent.js');
  finish(await actOnIntent(terminal, act, flags));
}

function addReplayIntents(replay: Command, { finish, terminal }: Shell): void {
  const command = replay
    .command('intents')
    .description('send many parked intents once more, as a job of the server')
    .requiredOption('-q, --query <query>', 'which, such as "status=parked operation=transaction"')
    .option('--dry-run', 'freeze the selection and say what is to be expected; send nothing')
    .option('--rate <n/s>', 'how fast, such as 20/s or 90/m', parseRate)
    .option('--canary', 'one first, then ten, then the rest; stop when they fail again (the default)')
    .option('--no-canary', 'all of them at the rate')
    .option('--id <id>', 'the same id again starts nothing twice, and starts what was planned dry', parseJobId)
    .option('--force', forceText)
    .option('-y, --yes', 'do not ask')
    .option('--no-wait', 'do not wait for its end');
  withAct(withSince(command), withReason).action(async (flags: ReplayFlags) => {
    const { replayIntents } = await import('../act/replay-intents.js');
    finish(await replayIntents(terminal, flags));
  });
}

/** `loyaltyd replay ...`: one intent at once, many as a job. */
export function addReplay(program: Command, shell: Shell): void {
  const replay = program.command('replay').description('send parked intents once more');
  const one = replay
    .command('intent')
    .description('send one parked intent once more')
    .argument('<id>', idText)
    .option('--force', forceText);
  withAct(one, withReason).action((id: string, flags: PutBackFlags) => actOn(shell, { id, verb: 'replay' }, flags));
  addReplayIntents(replay, shell);
}

/** `loyaltyd resolve intent ID --as ...` */
export function addResolve(program: Command, shell: Shell): void {
  const resolve = program.command('resolve').description('say what became of an intent');
  const one = resolve
    .command('intent')
    .description('say what became of an intent whose outcome is not known')
    .argument('<id>', idText)
    .addOption(
      new Option('--as <outcome>', '`delivered` settles it; `not-delivered` sends it again: look at the partner first')
        .choices(['delivered', 'not-delivered'])
        .makeOptionMandatory(),
    )
    .option('--force', forceText);
  withAct(one, withReason).action((id: string, flags: PutBackFlags & { readonly as: string }) =>
    actOn(shell, { id, verb: 'resolve', says: { as: flags.as } }, flags),
  );
}

/** `loyaltyd cancel intent ID`; what else can be cancelled is added to the same verb. */
export function addCancelIntent(cancel: Command, shell: Shell): void {
  const one = cancel.command('intent').description('do not send an intent').argument('<id>', idText);
  withAct(one, withReason).action((id: string, flags: ActFlags) => actOn(shell, { id, verb: 'cancel' }, flags));
}

/** `loyaltyd correct intent ID --file F` */
export function addCorrect(program: Command, { finish, terminal }: Shell): void {
  const correct = program.command('correct').description('give an intent other content');
  const one = correct
    .command('intent')
    .description('give an intent other content; the one before is kept, and nothing is sent')
    .argument('<id>', idText)
    .option('--file <file>', 'JSON: the whole command; - is standard input')
    .option('--patch <file>', 'JSON merge patch (RFC 7396) of the command; - is standard input');
  withAct(one, withReason).action(async (id: string, flags: CorrectFlags) => {
    const { correctIntent } = await import('../act/correct-intent.js');
    finish(await correctIntent(terminal, id, flags));
  });
}
