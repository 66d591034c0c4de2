import type { MemberView } from '#contracts';

import { exitNothingMatched, exitOk, exitSomeFailed } from '../../command-line/exit-codes.js';
import type { ConnectionFlags } from '../connection/resolve-connection.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { ApiClient, pathPart } from '../http/api-client.js';
import { ApiFailure } from '../http/api-failure.js';
import type { ListFlags } from '../options/output-options.js';
import type { MemberName } from '../options/parse-options.js';
import type { ListView } from '../output/list-writer.js';
import { listWriter } from '../output/list-writer.js';
import { safeLine } from '../output/safe-text.js';
import { ageText } from '../output/times.js';
import type { Terminal } from '../terminal/terminal.js';
import { watched } from '../watch/watched.js';
import { newestMembers } from './newest-members.js';

export interface MembersFlags extends ConnectionFlags, ListFlags {}

const view: ListView<MemberView> = {
  columns: [
    { title: 'PROGRAM', of: ({ program }) => program },
    { title: 'MEMBER', of: ({ memberId }) => memberId },
    { title: 'PASS', of: ({ passKnown }) => passKnown },
    { title: 'LANE', of: ({ lane }) => lane.state },
    { title: 'QUEUED', of: ({ lane }) => lane.queued, side: 'right' },
    { title: 'NEXT', of: ({ lane }) => lane.next },
    { title: 'AGE', of: ({ createdAt }) => ageText(createdAt) },
    { title: 'GENERATION', of: ({ generation }) => generation, side: 'right', isWide: true },
    { title: 'ERASED', of: ({ isErased }) => (isErased ? 'yes' : 'no'), isWide: true },
    { title: 'SERIAL', of: ({ pass }) => pass?.serialNumber ?? null, isWide: true },
    { title: 'DOWNLOAD', of: ({ pass }) => pass?.downloadUrl ?? null, isWide: true },
  ],
  nameOf: ({ program, memberId }) => `${program}/${memberId}`,
};

/** Where the API has a member. */
export function memberPath({ program, memberId }: MemberName): string {
  return `/members/${pathPart(program)}/${pathPart(memberId)}`;
}

/** Null where there is no such member. */
async function memberOf(client: ApiClient, name: MemberName): Promise<MemberView | null> {
  try {
    return (await client.get(memberPath(name))) as MemberView;
  } catch (error) {
    if (error instanceof ApiFailure && error.exitCode === exitNothingMatched) return null;
    throw error;
  }
}

async function show(
  terminal: Terminal,
  client: ApiClient,
  asked: { readonly names: readonly MemberName[]; readonly flags: MembersFlags },
): Promise<number> {
  const { flags } = asked;
  const names = asked.names.length > 0 ? asked.names : await newestMembers(client, flags);
  const members: MemberView[] = [];
  for (const name of names) {
    const member = await memberOf(client, name);
    if (member === null) terminal.tell(`loyaltyd: there is no member ${safeLine(`${name.program}/${name.memberId}`)}`);
    else members.push(member);
  }
  const writer = listWriter(view, flags.output, terminal);
  await writer.write(members);
  await writer.end();
  if (names.length === 0) terminal.tell('loyaltyd: nothing matches');
  if (members.length === 0) return exitNothingMatched;
  return members.length === names.length ? exitOk : exitSomeFailed;
}

/** Members by name, or those of the newest intents where none is named. @returns the exit code */
export async function getMembers(
  terminal: Terminal,
  names: readonly MemberName[],
  flags: MembersFlags,
): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  return watched(terminal, flags.watch, (shown) => show(shown, client, { names, flags }));
}
