import type { Command } from 'commander';

import {
  parseJobName,
  parseLimit,
  parseMember,
  parseMembers,
  parseRecordId,
} from '../../command-line/option-values.js';
import type { FindFlags } from '../find.js';
import type { CommandContext } from '../../command-line/terminal.js';
import {
  fileFormats,
  withConnection,
  withList,
  withOutput,
  withReason,
  withReasonIfGiven,
  withSince,
  withWatch,
} from '../flags.js';
import type { MembersFlags } from '../members.js';
import type { JobName, MemberName } from '../paths.js';
import type { Described, DescribeFlags, GetFlags, ListSource } from '../show.js';

interface List<T> {
  readonly name: string;
  readonly alias: string;
  readonly description: string;
  readonly hasQuery: boolean;
  /** Absent: those of all lists. */
  readonly formats?: typeof fileFormats;
  /** Imported when the command runs. */
  readonly source: () => Promise<ListSource<T>>;
}

interface ItemsFlags extends GetFlags {
  readonly requests?: boolean;
}

/** Of each kind. */
const foundDefault = 8;

const queryText = 'key=value, separated by spaces; a value with spaces in quotes';

function addList<T>(get: Command, { finish, terminal }: CommandContext, list: List<T>): void {
  const { name, alias, description, hasQuery, formats, source } = list;
  const command = get.command(name).alias(alias).description(description);
  if (hasQuery) command.option('-q, --query <query>', queryText);
  withConnection(withSince(withList(command, formats))).action(async (flags: GetFlags) => {
    const { getList } = await import('../show.js');
    finish(await getList(terminal, await source(), flags));
  });
}

function addMembers(get: Command, { finish, terminal }: CommandContext): void {
  const command = get
    .command('members')
    .alias('member')
    .description('members by name, or those of the newest intents')
    .argument('[program/id...]', 'such as coffee-club/m_81273', parseMembers);
  // Commander hands over what no name was parsed to as undefined.
  type Names = readonly MemberName[] | undefined;
  withConnection(withSince(withList(command))).action(async (names: Names, flags: MembersFlags) => {
    const { getMembers } = await import('../members.js');
    finish(await getMembers(terminal, names ?? [], flags));
  });
}

interface PassFlags extends DescribeFlags {
  readonly reason: string;
}

function addPass(get: Command, { finish, terminal }: CommandContext): void {
  const command = get
    .command('pass')
    .description("a member's pass as the partner shows it now, beside what we know: it is asked, and that is kept")
    .argument('<program/id>', 'such as coffee-club/m_81273', parseMember);
  withConnection(withWatch(withOutput(withReasonIfGiven(command)))).action(
    async (name: MemberName, flags: PassFlags) => {
      const [run, { passAtPartner }] = await Promise.all([import('../show.js'), import('../partner-view.js')]);
      finish(await run.describe(terminal, passAtPartner(name, flags.reason), flags));
    },
  );
}

function addCardLinks(get: Command, { finish, terminal }: CommandContext): void {
  const command = get
    .command('card-links')
    .description('where a member downloads the card: whoever has such an address has the card, and who asks is kept')
    .argument('<program/id>', 'such as coffee-club/m_81273', parseMember);
  withConnection(withOutput(withReason(command))).action(async (name: MemberName, flags: PassFlags) => {
    const [run, { cardLinks }] = await Promise.all([import('../show.js'), import('../members.js')]);
    finish(await run.describe(terminal, cardLinks(name, flags.reason), flags));
  });
}

function addQuarantine(get: Command, { finish, terminal }: CommandContext): void {
  const command = get
    .command('quarantine')
    .alias('q')
    .description('source records that were set aside')
    .option('-q, --query <query>', queryText);
  withConnection(withSince(withList(command))).action(async (flags: GetFlags) => {
    const [{ getList }, { quarantineSource }] = await Promise.all([import('../show.js'), import('../quarantine.js')]);
    finish(await getList(terminal, quarantineSource, flags));
  });
}

function addJobItems(get: Command, { finish, terminal }: CommandContext): void {
  const command = get
    .command('job-items')
    .description('what came of each intent that a job has sent, or is to send')
    .argument('<kind/id>', 'as `loyaltyd get jobs` shows it', parseJobName)
    .option('-q, --query <query>', queryText)
    .option('--requests', 'with -o json, jsonl or yaml: the very request that each would be');
  withConnection(withList(command)).action(async (name: JobName, flags: ItemsFlags) => {
    const [{ getList }, { jobItemsSource }] = await Promise.all([import('../show.js'), import('../jobs.js')]);
    finish(await getList(terminal, jobItemsSource(name, flags), flags));
  });
}

function addJobLines(get: Command, { finish, terminal }: CommandContext): void {
  const command = get
    .command('job-lines')
    .description('what a job found, line by line')
    .argument('<kind/id>', 'as `loyaltyd get jobs` shows it', parseJobName);
  withConnection(withList(command)).action(async (name: JobName, flags: GetFlags) => {
    const [{ getList }, { jobLinesSource }] = await Promise.all([import('../show.js'), import('../jobs.js')]);
    finish(await getList(terminal, jobLinesSource(name), flags));
  });
}

/** `loyaltyd find ...`: whatever has that id. */
export function addFind(program: Command, { finish, terminal }: CommandContext): void {
  const command = program
    .command('find')
    .description(
      'whatever has this id or begins so: member, purchase, refund, card, store, job, record; the only one is described',
    )
    .argument('<text>', 'such as R2-K-41, a card’s number, or purchases/3@120');
  const limited = withOutput(command).option('--limit <n>', 'how many of each kind at most', parseLimit, foundDefault);
  withConnection(limited).action(async (text: string, flags: FindFlags) => {
    const { find } = await import('../find.js');
    finish(await find(terminal, text, flags));
  });
}

/** `loyaltyd get ...`: lists. */
export function addGet(program: Command, context: CommandContext): void {
  const get = program.command('get').description('list what there is, the newest first');
  addList(get, context, {
    ...{ name: 'intents', alias: 'intent', hasQuery: true, formats: fileFormats },
    description: 'calls owed to the partner, and how each stands',
    source: async () => (await import('../intents.js')).intentsSource,
  });
  addList(get, context, {
    ...{ name: 'groups', alias: 'group', hasQuery: false },
    description: 'what is parked or unknown, by cause, the largest first',
    source: async () => (await import('../intents.js')).groupsSource,
  });
  addMembers(get, context);
  addPass(get, context);
  addCardLinks(get, context);
  addList(get, context, {
    ...{ name: 'passes', alias: 'listing', hasQuery: true },
    description: "the partner's own listing of a program's passes: -q program=NAME, -o jsonl to export",
    source: async () => (await import('../passes.js')).passesSource,
  });
  addQuarantine(get, context);
  addList(get, context, {
    ...{ name: 'causes', alias: 'cause', hasQuery: true },
    description: 'open records in quarantine by why they were refused, the most first',
    source: async () => (await import('../quarantine.js')).causesSource,
  });
  addList(get, context, {
    ...{ name: 'pauses', alias: 'pause', hasQuery: false },
    description: 'what is paused',
    source: async () => (await import('../pauses.js')).pausesSource,
  });
  addList(get, context, {
    ...{ name: 'jobs', alias: 'job', hasQuery: true },
    description: 'replays, reconciliations, and whatever else goes on by itself',
    source: async () => (await import('../jobs.js')).jobsSource,
  });
  addJobItems(get, context);
  addJobLines(get, context);
  addList(get, context, {
    ...{ name: 'audit', alias: 'audits', hasQuery: true },
    description: 'who did what, when and why',
    source: async () => (await import('../audit.js')).auditSource,
  });
}

interface One<A, T> {
  readonly name: string;
  readonly description: string;
  readonly argument: string;
  readonly explanation: string;
  readonly parse: (text: string) => A;
  /** Imported when the command runs. */
  readonly described: (argument: A) => Promise<Described<T>>;
}

function addOne<A, T>(describe: Command, { finish, terminal }: CommandContext, one: One<A, T>): void {
  const command = describe
    .command(one.name)
    .description(one.description)
    .argument(`<${one.argument}>`, one.explanation, one.parse);
  withConnection(withWatch(withOutput(command))).action(async (argument: A, flags: DescribeFlags) => {
    const run = await import('../show.js');
    finish(await run.describe(terminal, await one.described(argument), flags));
  });
}

const asIs = (text: string): string => text;

/** `loyaltyd describe ...`: one thing with everything about it. */
export function addDescribe(program: Command, context: CommandContext): void {
  const describe = program.command('describe').description('one thing, with everything about it');
  addOne(describe, context, {
    ...{ name: 'intent', description: 'an intent with its whole story', argument: 'id', parse: asIs },
    explanation: 'PROGRAM~MEMBER~SEQ, as `loyaltyd get intents` shows it',
    described: async (id) => (await import('../intents.js')).describedIntent(id),
  });
  addOne(describe, context, {
    ...{ name: 'member', argument: 'program/id', parse: parseMember },
    description: 'a member: the pass, what is queued, what came last',
    explanation: 'such as coffee-club/m_81273',
    described: async (name) => (await import('../members.js')).describedMember(name),
  });
  addOne(describe, context, {
    ...{ name: 'quarantine', argument: 'id', parse: parseRecordId },
    description: 'a source record that was set aside, as it came in',
    explanation: 'its number, as `loyaltyd get quarantine` shows it',
    described: async (id) => (await import('../quarantine.js')).describedQuarantined(id),
  });
  addOne(describe, context, {
    ...{ name: 'job', argument: 'kind/id', parse: parseJobName },
    description: 'a job, and what came of it',
    explanation: 'as `loyaltyd get jobs` shows it',
    described: async (name) => (await import('../jobs.js')).describedJob(name),
  });
}
