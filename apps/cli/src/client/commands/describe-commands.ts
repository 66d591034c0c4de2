import type { Command } from 'commander';

import type { DescribeFlags, Described } from '../describe/describe.js';
import { withConnection } from '../options/connection-options.js';
import { withOutput, withWatch } from '../options/output-options.js';
import { parseJobName } from '../options/parse-job-name.js';
import { parseMember, parseRecordId } from '../options/parse-options.js';
import type { Shell } from './shell.js';

interface One<A, T> {
  readonly name: string;
  readonly description: string;
  readonly argument: string;
  readonly explanation: string;
  readonly parse: (text: string) => A;
  /** Imported when the command runs. */
  readonly described: (argument: A) => Promise<Described<T>>;
}

function addOne<A, T>(describe: Command, { finish, terminal }: Shell, one: One<A, T>): void {
  const command = describe
    .command(one.name)
    .description(one.description)
    .argument(`<${one.argument}>`, one.explanation, one.parse);
  withConnection(withWatch(withOutput(command))).action(async (argument: A, flags: DescribeFlags) => {
    const run = await import('../describe/describe.js');
    finish(await run.describe(terminal, await one.described(argument), flags));
  });
}

const asIs = (text: string): string => text;

/** `loyaltyd describe ...`: one thing with everything about it. */
export function addDescribe(program: Command, shell: Shell): void {
  const describe = program.command('describe').description('one thing, with everything about it');
  addOne(describe, shell, {
    ...{ name: 'intent', description: 'an intent with its whole story', argument: 'id', parse: asIs },
    explanation: 'PROGRAM~MEMBER~SEQ, as `loyaltyd get intents` shows it',
    described: async (id) => (await import('../describe/intent.js')).intent(id),
  });
  addOne(describe, shell, {
    ...{ name: 'member', argument: 'program/id', parse: parseMember },
    description: 'a member: the pass, what is queued, what came last',
    explanation: 'such as coffee-club/m_81273',
    described: async (name) => (await import('../describe/member.js')).member(name),
  });
  addOne(describe, shell, {
    ...{ name: 'quarantine', argument: 'id', parse: parseRecordId },
    description: 'a source record that was set aside, as it came in',
    explanation: 'its number, as `loyaltyd get quarantine` shows it',
    described: async (id) => (await import('../describe/quarantined.js')).quarantined(id),
  });
  addOne(describe, shell, {
    ...{ name: 'replay', description: 'a replay, and what came of it', argument: 'id', parse: asIs },
    explanation: 'as `loyaltyd get replays` shows it',
    described: async (id) => (await import('../describe/replay.js')).replay(id),
  });
  addOne(describe, shell, {
    ...{ name: 'job', argument: 'kind/id', parse: parseJobName },
    description: 'a reconciliation, adoption, provisioning, erasure or export',
    explanation: 'as `loyaltyd get jobs` shows it',
    described: async (name) => (await import('../describe/job.js')).job(name),
  });
}
