import type { Command } from 'commander';

import type { JobName } from '../bulk/job.js';
import type { GetFlags } from '../get/get-list.js';
import type { MembersFlags } from '../get/get-members.js';
import type { ListSource } from '../get/list-source.js';
import { withConnection } from '../options/connection-options.js';
import { withList, withSince } from '../options/output-options.js';
import { parseJobName } from '../options/parse-job-name.js';
import type { MemberName } from '../options/parse-options.js';
import { parseMembers } from '../options/parse-options.js';
import type { Shell } from './shell.js';

interface List<T> {
  readonly name: string;
  readonly alias: string;
  readonly description: string;
  readonly hasQuery: boolean;
  /** Imported when the command runs. */
  readonly source: () => Promise<ListSource<T>>;
}

interface ItemsFlags extends GetFlags {
  readonly requests?: boolean;
}

const queryText = 'key=value, separated by spaces; a value with spaces in quotes';

function addList<T>(get: Command, { finish, terminal }: Shell, list: List<T>): void {
  const { name, alias, description, hasQuery, source } = list;
  const command = get.command(name).alias(alias).description(description);
  if (hasQuery) command.option('-q, --query <query>', queryText);
  withConnection(withSince(withList(command))).action(async (flags: GetFlags) => {
    const { getList } = await import('../get/get-list.js');
    finish(await getList(terminal, await source(), flags));
  });
}

function addMembers(get: Command, { finish, terminal }: Shell): void {
  const command = get
    .command('members')
    .alias('member')
    .description('members by name, or those of the newest intents')
    .argument('[program/id...]', 'such as coffee-club/m_81273', parseMembers);
  // Commander hands over what no name was parsed to as undefined.
  type Names = readonly MemberName[] | undefined;
  withConnection(withSince(withList(command))).action(async (names: Names, flags: MembersFlags) => {
    const { getMembers } = await import('../get/get-members.js');
    finish(await getMembers(terminal, names ?? [], flags));
  });
}

function addReplayItems(get: Command, { finish, terminal }: Shell): void {
  const command = get
    .command('replay-items')
    .description('what came of each item of a replay')
    .argument('<replay>', 'its id')
    .option('-q, --query <query>', queryText)
    .option('--requests', 'with -o json, jsonl or yaml: the very request that each would be');
  withConnection(withList(command)).action(async (replay: string, flags: ItemsFlags) => {
    const [{ getList }, { replayItemsSource }] = await Promise.all([
      import('../get/get-list.js'),
      import('../get/replays-source.js'),
    ]);
    finish(await getList(terminal, replayItemsSource(replay, flags), flags));
  });
}

function addJobLines(get: Command, { finish, terminal }: Shell): void {
  const command = get
    .command('job-lines')
    .description('what a job found, line by line')
    .argument('<kind/id>', 'as `loyaltyd get jobs` shows it', parseJobName);
  withConnection(withList(command)).action(async (name: JobName, flags: GetFlags) => {
    const [{ getList }, { jobLinesSource }] = await Promise.all([
      import('../get/get-list.js'),
      import('../get/jobs-source.js'),
    ]);
    finish(await getList(terminal, jobLinesSource(name), flags));
  });
}

/** `loyaltyd get ...`: lists. */
export function addGet(program: Command, shell: Shell): void {
  const get = program.command('get').description('list what there is, the newest first');
  addList(get, shell, {
    ...{ name: 'intents', alias: 'intent', hasQuery: true },
    description: 'calls owed to the partner, and how each stands',
    source: async () => (await import('../get/intents-source.js')).intentsSource,
  });
  addList(get, shell, {
    ...{ name: 'groups', alias: 'group', hasQuery: false },
    description: 'what is parked or unknown, by cause, the largest first',
    source: async () => (await import('../get/groups-source.js')).groupsSource,
  });
  addMembers(get, shell);
  addList(get, shell, {
    ...{ name: 'quarantine', alias: 'q', hasQuery: true },
    description: 'source records that were set aside',
    source: async () => (await import('../get/quarantine-source.js')).quarantineSource,
  });
  addList(get, shell, {
    ...{ name: 'replays', alias: 'replay', hasQuery: false },
    description: 'replay jobs',
    source: async () => (await import('../get/replays-source.js')).replaysSource,
  });
  addReplayItems(get, shell);
  addList(get, shell, {
    ...{ name: 'pauses', alias: 'pause', hasQuery: false },
    description: 'what is paused',
    source: async () => (await import('../get/pauses-source.js')).pausesSource,
  });
  addList(get, shell, {
    ...{ name: 'jobs', alias: 'job', hasQuery: true },
    description: 'reconciliations, adoptions, rereadings, provisionings, erasures and exports',
    source: async () => (await import('../get/jobs-source.js')).jobsSource,
  });
  addJobLines(get, shell);
  addList(get, shell, {
    ...{ name: 'audit', alias: 'audits', hasQuery: true },
    description: 'who did what, when and why',
    source: async () => (await import('../get/audit-source.js')).auditSource,
  });
}
