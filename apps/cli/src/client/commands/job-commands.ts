import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

import { parseJobId, parseMember, parseRate, parseTime, wholeNumber } from '../../command-line/option-values.js';
import { wrongUsage } from '../../command-line/command-failure.js';
import type { CommandContext } from '../../command-line/terminal.js';
import type { ConsentFlags } from '../act.js';
import type { ExportFlags } from '../export.js';
import { withAct, withConnection, withReason, withReasonIfGiven } from '../flags.js';
import type { JobFlags, JobRequest, ProvisionFlags } from '../jobs.js';
import type { MemberName } from '../paths.js';

interface ProgramFlags extends JobFlags {
  readonly program: string;
}

function withJob(command: Command): Command {
  return command
    .option('--id <id>', 'the same id again starts nothing twice', parseJobId)
    .option('--no-wait', 'do not wait for its end');
}

async function run({ finish, terminal }: CommandContext, request: JobRequest, flags: JobFlags): Promise<void> {
  const { runJob } = await import('../jobs.js');
  finish(await runJob(terminal, request, flags));
}

interface PaceFlags {
  /** Per second. */
  readonly rate?: number;
  readonly canary?: boolean;
}

/** How fast what calls the partner goes, and how carefully. */
function withPace(command: Command): Command {
  return command
    .option('--rate <n/s>', 'calls of the partner at most, such as 2/s or 30/m', parseRate)
    .option('--canary', 'of what is sent one first, then ten, then the rest; stop when they fail');
}

function paceBody({ rate, canary }: PaceFlags): object {
  return { ...(rate !== undefined && { ratePerSecond: rate }), ...(canary !== undefined && { canary }) };
}

interface FilterFlags {
  readonly updatedSince?: string;
  readonly status?: string;
  readonly tier?: number;
  readonly template?: number;
}

const parsePartnerId = (text: string): number => wholeNumber(text, 0, Number.MAX_SAFE_INTEGER);

/** Which passes of the partner's listing are read. */
function withListingFilter(command: Command): Command {
  return command
    .option(
      '--updated-since <time>',
      'only passes that changed since: 30s, 15m, 2h, 7d, 1w or a time with its offset',
      parseTime,
    )
    .option('--status <name>', 'only passes of this status at the partner, such as ACTIVE')
    .option('--tier <id>', "only passes of this tier, by the partner's id", parsePartnerId)
    .option('--template <id>', "only passes of this template, by the partner's id", parsePartnerId);
}

function filterBody({ updatedSince, status, tier, template }: FilterFlags): object {
  return {
    ...(updatedSince !== undefined && { updatedSince }),
    ...(status !== undefined && { status }),
    ...(tier !== undefined && { tier }),
    ...(template !== undefined && { template }),
  };
}

interface ReconcileFlags extends ProgramFlags, FilterFlags, PaceFlags {
  readonly repair?: boolean;
  readonly adopt?: boolean;
}

function addReconcile(program: Command, context: CommandContext): void {
  const command = program
    .command('reconcile')
    .description("hold the partner's list of passes against ours, and report what is missing or differs")
    .requiredOption('--program <name>', 'which')
    .option('--repair', 'have what is missing at the partner sent')
    .option('--adopt', 'take over passes that we do not know, also of members whom we never saw');
  withAct(withJob(withPace(withListingFilter(command)))).action(async (flags: ReconcileFlags) => {
    const { program: name, repair = false, adopt = false } = flags;
    const body = { program: name, repair, adopt, ...filterBody(flags), ...paceBody(flags) };
    await run(context, { kind: 'reconcile', body }, flags);
  });
}

function addReread(program: Command, context: CommandContext): void {
  const command = program
    .command('reread')
    .description('read the answers of parked intents again by the dialect of now, and settle what they prove')
    .requiredOption('--program <name>', 'which')
    .option('--dry-run', 'only say what would be settled');
  withAct(withJob(command)).action(async (flags: ProgramFlags & { readonly dryRun?: boolean }) => {
    const { program: name, dryRun = false } = flags;
    await run(context, { kind: 'reread', body: { program: name, dryRun } }, flags);
  });
}

/** `0=1200`: a partition with the offset from which it is read. */
function parseOffset(text: string, before: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const [, partition, offset] = /^(\d{1,6})=(\d{1,15})$/.exec(text) ?? [];
  if (partition === undefined || offset === undefined) {
    throw new InvalidArgumentError('Must be a partition and its offset, such as 0=1200.');
  }
  return { ...before, [partition]: Number(offset) };
}

interface RereadTopicFlags extends JobFlags {
  readonly topic?: string;
  readonly source?: string;
  readonly from?: string;
  readonly offset?: Readonly<Record<string, number>>;
  readonly rate?: number;
  readonly go?: boolean;
}

function rereadTopicBody({ topic, source, from, offset, rate, go = false }: RereadTopicFlags): object {
  if ((topic === undefined) === (source === undefined)) throw wrongUsage('give one of --topic and --source');
  if ((from === undefined) === (offset === undefined)) throw wrongUsage('give one of --from and --offset');
  if (offset !== undefined && topic === undefined) throw wrongUsage('--offset goes with --topic');
  return { topic, source, from: from ?? offset, dryRun: !go, ...(rate !== undefined && { ratePerSecond: rate }) };
}

function addRereadTopic(program: Command, context: CommandContext): void {
  const command = program
    .command('reread-topic')
    .description('read a topic once more: count what is known and what was missed; with --go record what was missed')
    .option('--topic <name>', 'which')
    .option('--source <name>', 'or all topics of a declared source')
    .option('--from <time>', 'what the brokers have got since: 2h, 7d or a time with its offset', parseTime)
    .option('--offset <partition=offset>', 'or from this offset of a partition; several times for several', parseOffset)
    .option('--go', 'record what was missed; without it nothing is recorded')
    .option('--rate <n/s>', 'records at most, such as 200/s', parseRate);
  withAct(withJob(command), withReason).action(async (flags: RereadTopicFlags) => {
    await run(context, { kind: 'reread-topic', body: { ...rereadTopicBody(flags) } }, flags);
  });
}

interface ScheduleFlags extends ProgramFlags {
  readonly at?: string;
  readonly localTime?: string;
  readonly timeZone?: string;
  readonly name?: string;
  readonly member?: string;
  readonly tier?: number;
  readonly template?: number;
  readonly group?: string;
  readonly status?: string;
  readonly setTier?: number;
  readonly setTemplate?: number;
  readonly setGroup?: string;
  readonly setMessage?: string;
  readonly setPoints?: string;
  readonly setExpiryDate?: string;
  readonly dryRun?: boolean;
}

function scheduleBody(flags: ScheduleFlags): Readonly<Record<string, unknown>> {
  const { at, localTime, timeZone, name, dryRun = false } = flags;
  if ((at === undefined) === (localTime === undefined)) throw wrongUsage('give one of --at and --local-time');
  if ((localTime === undefined) !== (timeZone === undefined)) {
    throw wrongUsage('--local-time and --time-zone go together');
  }
  const { member: memberId, tier, template, group, status } = flags;
  const { setTier, setTemplate, setGroup, setMessage, setPoints, setExpiryDate } = flags;
  const change = {
    ...{ tier: setTier, template: setTemplate, group: setGroup, message: setMessage, expiryDate: setExpiryDate },
    points: setPoints === undefined ? undefined : Number(setPoints),
  };
  const isChange = Object.values(change).some((value) => value !== undefined);
  return {
    program: flags.program,
    at: at ?? { dateTime: localTime, timeZone },
    select: { memberId, tier, template, group, status },
    ...(isChange && { change }),
    ...(name !== undefined && { name }),
    dryRun,
  };
}

function addSchedule(program: Command, context: CommandContext): void {
  const command = program
    .command('schedule')
    .description("have the partner change passes at a chosen time: one member's, or all that fit")
    .requiredOption('--program <name>', 'which')
    .option('--at <time>', 'when: a time with its offset')
    .option('--local-time <time>', 'or a local one, such as 2026-12-01T09:00:00')
    .option('--time-zone <name>', 'with its time zone, such as Europe/Berlin')
    .option('--member <id>', "only this member's pass")
    .option('--tier <id>', "only passes of this tier, by the partner's id", parsePartnerId)
    .option('--template <id>', "only passes of this template, by the partner's id", parsePartnerId)
    .option('--group <id>', 'only passes of this group')
    .option('--status <name>', 'only passes of this status')
    .option('--set-tier <id>', 'the tier that they get', parsePartnerId)
    .option('--set-template <id>', 'the template that they get', parsePartnerId)
    .option('--set-group <id>', 'the group that they get')
    .option('--set-message <text>', 'the message that they get')
    .option('--set-points <number>', 'the points that they get')
    .option('--set-expiry-date <date>', 'the expiry date that they get')
    .option('--name <text>', 'what the partner calls the schedule')
    .option('--dry-run', 'only count the passes and say what would be sent');
  withAct(withJob(command), withReason).action(async (flags: ScheduleFlags) => {
    await run(context, { kind: 'schedule', body: scheduleBody(flags) }, flags);
  });
}

function addProvision(program: Command, { finish, terminal }: CommandContext): void {
  const command = program
    .command('provision')
    .description('create at the partner what the programs file declares')
    .option('--plan', 'only say what would be created')
    .option('--apply', 'create it')
    .option('--program <name>', 'of one program only');
  withAct(withJob(withPace(command))).action(async (flags: ProvisionFlags & PaceFlags) => {
    const { provision } = await import('../jobs.js');
    finish(await provision(terminal, flags, paceBody(flags)));
  });
}

function addErase(program: Command, { finish, terminal }: CommandContext): void {
  const command = program
    .command('erase')
    .description("destroy what makes a member's data readable")
    .command('member')
    .description("destroy a member's key and cancel what is queued; it cannot be undone")
    .argument('<program/id>', 'such as coffee-club/m_81273', parseMember)
    .option('-y, --yes', 'do not ask, where somebody could be asked');
  withAct(withJob(command)).action(async (name: MemberName, flags: JobFlags & ConsentFlags) => {
    const { erase } = await import('../jobs.js');
    finish(await erase(terminal, name, flags));
  });
}

function addExport(program: Command, { finish, terminal }: CommandContext): void {
  const command = program
    .command('export')
    .description('write down what there is, a JSON object per line')
    .option('--file <file>', 'where to; - is standard output', '-')
    .addOption(new Option('-o, --output <format>', 'how it is written').choices(['jsonl']).default('jsonl'))
    .option('--program <name>', 'of one program only')
    .option('--member <id>', 'of one member of that program only: what they may ask for')
    .option('--from <time>', 'recorded at or after: 7d ago, or a time such as 2026-11-21T00:00:00Z', parseTime)
    .option('--to <time>', 'recorded before', parseTime)
    .option('--id <id>', 'the same id again exports nothing twice, and fetches what was exported', parseJobId);
  withConnection(withReasonIfGiven(command)).action(async (flags: ExportFlags) => {
    const { exportAll } = await import('../export.js');
    finish(await exportAll(terminal, flags));
  });
}

/** Bulk work, as jobs of the server. */
export function addJobs(program: Command, context: CommandContext): void {
  addReconcile(program, context);
  addReread(program, context);
  addRereadTopic(program, context);
  addSchedule(program, context);
  addProvision(program, context);
  addErase(program, context);
  addExport(program, context);
}
