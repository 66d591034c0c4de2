import type { IntentView, MemberCardLinks, MemberView } from '#contracts';

import { exitNothingMatched, exitOk, exitSomeFailed } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import { ApiClient, ApiFailure, pagedList } from './api-client.js';
import type { MemberName } from './paths.js';
import { memberPath } from './paths.js';
import type { ConnectionFlags } from './connection.js';
import { resolveConnection } from './connection.js';
import type { ListFlags } from './flags.js';
import { intentColumns } from './intents.js';
import type { ListView, Paint } from './output.js';
import { listWriter, Table } from './output.js';
import type { Described } from './show.js';
import type { Field } from './text.js';
import { ageText, fields, safeLine, section, timeText } from './text.js';
import { watch } from './watch.js';

/** Intents that are looked at, at most: few members may have many. */
const intentsMax = 2_000;

/** Members whose intents were recorded last, the newest first: the API has no list of all members. */
async function newestMembers(
  client: ApiClient,
  { since, limit }: { readonly since?: number; readonly limit: number },
): Promise<MemberName[]> {
  const query = since === undefined ? {} : { from: new Date(since).toISOString() };
  const names = new Map<string, MemberName>();
  for await (const { items } of pagedList<IntentView>(client, {
    ...{ path: '/intents', query, limit: intentsMax },
    isWanted: () => true,
  })) {
    for (const { program, memberId } of items) names.set(JSON.stringify([program, memberId]), { program, memberId });
    if (names.size >= limit) break;
  }
  return [...names.values()].slice(0, limit);
}

export interface MembersFlags extends ConnectionFlags, ListFlags {}

const memberView: ListView<MemberView> = {
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
  ],
  nameOf: ({ program, memberId }) => `${program}/${memberId}`,
};

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
    if (member !== null) members.push(member);
    else terminal.report(safeLine(`loyaltyd: there is no member ${name.program}/${name.memberId}`));
  }
  const writer = listWriter(memberView, flags.output, terminal);
  await writer.write(members);
  await writer.end();
  if (names.length === 0) terminal.report('loyaltyd: nothing matches');
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
  return watch(terminal, flags.watch, (shown) => show(shown, client, { names, flags }));
}

function passFields({ pass, passKnown }: MemberView): readonly Field[] {
  if (pass === null) return [['Pass', passKnown]];
  const { passId, serialNumber, statusCode } = pass;
  return [
    ['Pass', passId],
    ['Serial number', serialNumber],
    ['Pass status', statusCode === null || statusCode === undefined ? null : JSON.stringify(statusCode)],
  ];
}

function memberText(member: MemberView, paint: Paint): string {
  const { program, memberId, generation, createdAt, isErased, lane, intents, setAside } = member;
  const columns = intentColumns.filter(({ isWide = false }) => !isWide);
  const head: readonly Field[] = [
    ['Member', `${program}/${memberId}${isErased ? ' (erased)' : ''}`],
    ['Known since', timeText(createdAt)],
    ['Generation', generation],
    ...passFields(member),
    ['Lane', `${lane.state}${lane.isHeld ? ', being worked on' : ''}`],
    ['Due', timeText(lane.dueAt)],
    ['Next', lane.next],
    ['Queued', lane.queued],
  ];
  const records = setAside.items.map(
    ({ id, recordedAt, reason, detail }) => `${id}  ${recordedAt}  ${reason}: ${detail}`,
  );
  const aside = section('Set aside in quarantine', records.map(safeLine).join('\n'));
  return `${fields(head)}${aside}${section('Newest intents', intents.length === 0 ? '' : new Table(columns, paint).rows(intents))}`;
}

/** A member with the pass, what is queued and what came last. */
export function describedMember(name: MemberName): Described<MemberView> {
  return {
    load: async (client) => (await client.get(memberPath(name))) as MemberView,
    text: memberText,
    nameOf: ({ program, memberId }) => `${program}/${memberId}`,
  };
}

/** Where a member downloads the card: whoever has such an address has the card. The audit keeps who asked, and why. */
export function cardLinks(name: MemberName, reason: string): Described<MemberCardLinks> {
  return {
    load: async (client) => (await client.post(`${memberPath(name)}/card-links`, { reason })) as MemberCardLinks,
    text: ({ program, memberId, downloadUrl, downloadUrlApple, downloadUrlGoogle }) =>
      fields([
        ['Member', `${program}/${memberId}`],
        ['Card', downloadUrl],
        ['Apple Wallet', downloadUrlApple],
        ['Google Wallet', downloadUrlGoogle],
      ]),
    nameOf: ({ program, memberId }) => `${program}/${memberId}`,
  };
}
