import type { Command } from 'commander';
import { Option } from 'commander';

import {
  parseJobId,
  parseJobName,
  parseRate,
  parseRecordIds,
  parseTime,
  parseUntil,
} from '../../command-line/option-values.js';
import type { CommandContext } from '../../command-line/terminal.js';
import { withAct, withConnection, withReason, withReasonIfGiven, withSince } from '../flags.js';
import type { ActFlags, Steering } from '../act.js';
import type { CorrectFlags, IntentAction, RequeueFlags } from '../intents.js';
import type { JobName } from '../paths.js';
import type { PauseFlags, ResumeFlags } from '../pauses.js';
import type { CorrectManyFlags, DoubtsFlags, ManyFlags, SettleFlags as SettleListFlags } from '../many.js';
import type { SettleFlags, Settling } from '../quarantine.js';
import { operations } from '../query.js';
import type { ReplayFlags } from '../replays.js';

const forceText = 'also what was put back often without success; admin only';
const idText = 'PROGRAM~MEMBER~SEQ, as `loyaltyd get intents` shows it';

async function actOn({ finish, terminal }: CommandContext, act: IntentAction, flags: RequeueFlags): Promise<void> {
  const { actOnIntent } = await import('../intents.js');
  finish(await actOnIntent(terminal, act, flags));
}

function addReplayIntents(replay: Command, { finish, terminal }: CommandContext): void {
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
    const { replayIntents } = await import('../replays.js');
    finish(await replayIntents(terminal, flags));
  });
}

/** `loyaltyd replay ...`: one intent at once, many as a job. */
export function addReplay(program: Command, context: CommandContext): void {
  const replay = program.command('replay').description('send parked intents once more');
  const one = replay
    .command('intent')
    .description('send one parked intent once more')
    .argument('<id>', idText)
    .option('--force', forceText);
  withAct(one, withReason).action((id: string, flags: RequeueFlags) => actOn(context, { id, verb: 'replay' }, flags));
  addReplayIntents(replay, context);
}

/** How a plan of many is agreed to. */
function withPlan(command: Command): Command {
  return command
    .option('--dry-run', 'freeze the selection and say what is to be expected; do nothing')
    .option('--id <id>', 'the same id again does nothing twice, and begins what was planned dry', parseJobId)
    .option('-y, --yes', 'do not ask')
    .option('--no-wait', 'do not wait for its end');
}

/** Which parked intents. */
function withMany(command: Command): Command {
  const asked = command.requiredOption(
    '-q, --query <query>',
    'which parked ones, such as "reason=rejected store=berlin-07"',
  );
  return withAct(withPlan(asked), withReason);
}

function withChange(command: Command, { of, such }: { readonly of: string; readonly such: string }): Command {
  return command
    .option('--patch <file>', `JSON merge patch (RFC 7396) of ${of}; - is standard input`)
    .option('--as-text <field>', `or a field that is taken as text, such as ${such}`)
    .option('--as-number <field>', 'or as a number');
}

/** Of what is sent. */
function withSending(command: Command): Command {
  return command
    .option('--rate <n/s>', 'how fast what is sent goes, such as 20/s or 90/m', parseRate)
    .option('--no-canary', 'not one first, then ten, then the rest: all of them at the rate');
}

function addResolveIntents(resolve: Command, { finish, terminal }: CommandContext): void {
  const command = resolve
    .command('intents')
    .description('say the same of many parked intents, as a job of the server')
    .addOption(outcomeOption());
  withMany(withSending(command)).action(async (flags: ManyFlags & { readonly as: string }) => {
    finish(await (await import('../many.js')).resolveMany(terminal, flags));
  });
}

function addCancelIntents(cancel: Command, { finish, terminal }: CommandContext): void {
  const command = cancel
    .command('intents')
    .description('do not send many parked intents, as a job of the server')
    .option('--not-delivered', 'also what may have taken effect: you have looked, and the partner does not have it');
  withMany(command).action(async (flags: ManyFlags & { readonly notDelivered?: true }) => {
    finish(await (await import('../many.js')).cancelMany(terminal, flags));
  });
}

function addCorrectIntents(correct: Command, { finish, terminal }: CommandContext): void {
  const command = correct
    .command('intents')
    .description('give many parked intents other content, as a job of the server')
    .option('--replay', 'and send each');
  const changed = withChange(command, { of: 'each command', such: 'attributes.campaign' });
  withMany(withSending(changed)).action(async (flags: CorrectManyFlags) => {
    finish(await (await import('../many.js')).correctMany(terminal, flags));
  });
}

/** `loyaltyd ask intents`: by what the partner shows. */
export function addAsk(program: Command, { finish, terminal }: CommandContext): void {
  const command = program
    .command('ask')
    .description('ask the partner what became of what is in doubt')
    .command('intents')
    .description('look each up where that can prove something, as a job of the server; nothing is sent')
    .option('--rate <n/s>', 'members at most, such as 2/s or 30/m', parseRate);
  withMany(command).action(async (flags: ManyFlags) => {
    finish(await (await import('../many.js')).askMany(terminal, flags));
  });
}

/** `loyaltyd doubts` and `loyaltyd settle intents`: with the partner's own list. */
export function addSettle(program: Command, { finish, terminal }: CommandContext): void {
  const doubts = program
    .command('doubts')
    .description('write what is parked in doubt as a list for the partner')
    .option('-q, --query <query>', 'which of it, such as "program=coffee-club operation=reward"', '')
    .addOption(new Option('-o, --output <format>', 'how it is written').choices(['csv', 'jsonl']).default('csv'));
  withConnection(doubts).action(async (flags: DoubtsFlags) => {
    finish(await (await import('../many.js')).listDoubts(terminal, flags));
  });
  const settle = program
    .command('settle')
    .description('settle what is in doubt by what the partner has')
    .command('intents')
    .description('what is in the list is delivered; what is not stays in doubt, unless the list has all')
    .requiredOption('--list <file>', 'what the partner has, CSV with a head or JSON lines; - is standard input')
    .option('--complete-from <time>', 'the list has all that the partner took since; admin only', parseTime)
    .option('--complete-to <time>', 'and before', parseTime)
    .option('--types <ids>', 'of these transaction types and rewards, with commas between them');
  withMany(settle).action(async (flags: SettleListFlags) => {
    finish(await (await import('../many.js')).settleMany(terminal, flags));
  });
}

const outcomeOption = (): Option =>
  new Option('--as <outcome>', '`delivered` settles it; `not-delivered` sends it again: look at the partner first')
    .choices(['delivered', 'not-delivered'])
    .makeOptionMandatory();

/** `loyaltyd resolve intent ID --as ...` */
export function addResolve(program: Command, context: CommandContext): void {
  const resolve = program.command('resolve').description('say what became of an intent');
  const one = resolve
    .command('intent')
    .description('say what became of an intent whose outcome is not known')
    .argument('<id>', idText)
    .addOption(outcomeOption())
    .option('--force', forceText);
  withAct(one, withReason).action((id: string, flags: RequeueFlags & { readonly as: string }) =>
    actOn(context, { id, verb: 'resolve', body: { as: flags.as } }, flags),
  );
  addResolveIntents(resolve, context);
}

/** `loyaltyd cancel intent ID`; what else can be cancelled is added to the same verb. */
function addCancelIntent(cancel: Command, context: CommandContext): void {
  const one = cancel
    .command('intent')
    .description('do not send an intent')
    .argument('<id>', idText)
    .option(
      '--not-delivered',
      'although an attempt may have taken effect: you have looked, and the partner does not have it',
    );
  withAct(one, withReason).action((id: string, flags: ActFlags & { readonly notDelivered?: true }) => {
    const said = flags.notDelivered === true ? { body: { notDelivered: true } } : {};
    return actOn(context, { id, verb: 'cancel', ...said }, flags);
  });
}

/** `loyaltyd correct intent ID --file F` */
export function addCorrect(program: Command, context: CommandContext): void {
  const { finish, terminal } = context;
  const correct = program.command('correct').description('give an intent other content');
  const one = correct
    .command('intent')
    .description('give an intent other content; the one before is kept, and nothing is sent')
    .argument('<id>', idText)
    .option('--file <file>', 'JSON: the whole command; - is standard input')
    .option('--patch <file>', 'JSON merge patch (RFC 7396) of the command; - is standard input');
  withAct(one, withReason).action(async (id: string, flags: CorrectFlags) => {
    const { correctIntent } = await import('../intents.js');
    finish(await correctIntent(terminal, id, flags));
  });
  addCorrectIntents(correct, context);
}

const words: Readonly<Record<Steering, string>> = {
  pause: 'begin nothing more of',
  resume: 'continue with',
  cancel: 'end, whatever is left undone,',
};

function addSteering(verb: Command, steering: Steering, { finish, terminal }: CommandContext): void {
  const job = verb
    .command('job')
    .description(`${words[steering]} a job`)
    .argument('<kind/id>', 'as `loyaltyd get jobs` shows it', parseJobName);
  withAct(job).action(async (name: JobName, flags: ActFlags) => {
    const { steerJob } = await import('../jobs.js');
    finish(await steerJob(terminal, { name, steering }, flags));
  });
}

function withScope(command: Command): Command {
  const scoped = command
    .option('--program <name>', 'of this program; of every one when left out')
    .addOption(new Option('--operation <name>', 'this one; every one when left out').choices(operations))
    .option(
      '--factor <kind:value>',
      'only calls for a reward, transaction-type, event-type, store or source, or what a member is owed, such as store:lisboa',
    );
  return withAct(scoped);
}

/** `loyaltyd pause`, `resume` and `cancel`. */
export function addSteeringVerbs(program: Command, context: CommandContext): void {
  const { finish, terminal } = context;
  const pause = program.command('pause').description('begin nothing more of a program, an operation or everything');
  pause.option('--until <time>', 'it ends by itself then: 06:00, 1h or a time; else somebody resumes', parseUntil);
  withScope(pause).action(async (flags: PauseFlags) => {
    finish(await (await import('../pauses.js')).pause(terminal, flags));
  });
  addSteering(pause, 'pause', context);
  const resume = program
    .command('resume')
    .description('lift a pause: that of an operation with all that delivery holds of it');
  resume
    .option('--but <kind:value...>', 'hold these instead, such as store:lisboa, and let the rest go on')
    .option('--until <time>', 'with --but: what is held instead ends by itself then: 06:00, 1h or a time', parseUntil)
    .option('--dry-run', 'say what waits and what of the same was refused; lift nothing');
  withScope(resume).action(async (flags: ResumeFlags) => {
    finish(await (await import('../pauses.js')).resume(terminal, flags));
  });
  addSteering(resume, 'resume', context);
  const cancel = program.command('cancel').description('do not send an intent; end a job');
  addCancelIntent(cancel, context);
  addCancelIntents(cancel, context);
  addSteering(cancel, 'cancel', context);
}

const descriptions: Readonly<Record<Settling, string>> = {
  resubmit: 'take in after all what was set aside',
  discard: 'give up what was set aside; it is kept, and done with',
};

/** Who gives something up says why. */
const reasons = { resubmit: withReasonIfGiven, discard: withReason };

function addSettling(program: Command, settling: Settling, { finish, terminal }: CommandContext): void {
  const description = descriptions[settling];
  const command = program
    .command(settling)
    .description(description)
    .command('quarantine')
    .description(description)
    .argument('[id...]', 'numbers, as `loyaltyd get quarantine` shows them', parseRecordIds)
    .option(
      '-q, --query <query>',
      'instead of ids, as a job of the server, such as "reason=invalid topic=loyalty.purchases"',
    );
  if (settling === 'resubmit') {
    command.option('--file <file>', 'the value to be taken instead of the one that arrived; - is standard input');
    withChange(command, { of: 'the value of each', such: 'data.storeId' });
  }
  withAct(withPlan(command), reasons[settling]).action(async (ids: readonly number[], flags: SettleFlags) => {
    const { settleRecords } = await import('../quarantine.js');
    finish(await settleRecords(terminal, { settling, ids }, flags));
  });
}

/** `loyaltyd resubmit quarantine` and `discard quarantine`. */
export function addQuarantineVerbs(program: Command, context: CommandContext): void {
  addSettling(program, 'resubmit', context);
  addSettling(program, 'discard', context);
}
