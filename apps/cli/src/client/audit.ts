import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import type { AuditChainPage, AuditEntry, AuditLink, AuditStray } from '#contracts';
import type { ChainCheck, ChainHead } from '#intents';

import { CommandFailure, exitOk, exitSomeFailed, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import { ApiClient, pagedList } from './api-client.js';
import type { ConnectionFlags } from './connection.js';
import { resolveConnection } from './connection.js';
import { saveLines } from './export.js';
import { auditKeys } from './query.js';
import type { ListSource } from './show.js';
import { safeLine } from './text.js';

type Detail = NonNullable<AuditEntry['detail']>;

/** Such as `replay=r-1 items=12`. */
function detailText(detail: Detail): string {
  const known = Object.entries(detail).filter(([, value]) => value !== null);
  return known.map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' ');
}

/** What it was done to, as far as the entry says. */
function targetOf({ intent, member, detail }: AuditEntry): string | null {
  if (intent !== null) return intent;
  if (member !== null) return `${member.program}/${member.memberId}`;
  return detail === null ? null : detailText(detail);
}

export const auditSource: ListSource<AuditEntry> = {
  path: '/audit',
  keys: auditKeys,
  pages: pagedList,
  since: ({ at }) => at,
  columns: [
    { title: 'ID', of: ({ id }) => id, side: 'right', isWide: true },
    { title: 'AT', of: ({ at }) => at },
    { title: 'ACTOR', of: ({ actor }) => actor },
    { title: 'ADDRESS', of: ({ address }) => address, isWide: true },
    { title: 'ACTION', of: ({ action }) => action },
    { title: 'TARGET', of: targetOf },
    { title: 'LINK', of: ({ link }) => link ?? 'waits', side: 'right', isWide: true },
    { title: 'REASON', of: ({ reason }) => reason },
  ],
  nameOf: ({ id }) => String(id),
};

export interface ChainFlags extends ConnectionFlags {
  /** A link that was noted earlier. */
  readonly head?: ChainHead;
}

const chainLinksPerPage = '500';

/** The chain as the server has it, page by page. */
async function* chainPages(terminal: Terminal, flags: ChainFlags): AsyncGenerator<AuditChainPage> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  let cursor: string | null = null;
  do {
    const query = { limit: chainLinksPerPage, ...(cursor === null ? {} : { cursor }) };
    const page = (await client.get('/audit/chain', query)) as AuditChainPage;
    if (!Array.isArray(page.items)) throw new CommandFailure('the server did not answer with a chain');
    if (page.nextCursor !== null && page.nextCursor === cursor) throw new CommandFailure('the chain does not end');
    yield page;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** A line of the file, or of what a server answered. */
type ChainLine = AuditLink | AuditStray;

function take(check: ChainCheck, lines: readonly ChainLine[]): void {
  for (const line of lines) {
    if ('what' in line) check.addStray(line);
    else check.add(line);
  }
}

/** The same chain as lines, each looked at on its way. */
async function* checkedLines(
  pages: AsyncIterable<AuditChainPage>,
  check: ChainCheck,
): AsyncGenerator<readonly ChainLine[]> {
  for await (const { items, strays } of pages) {
    const lines = [...items, ...strays];
    take(check, lines);
    yield lines;
  }
}

async function lineReader(): Promise<(text: string, at: number) => ChainLine> {
  const { auditLineSchema } = await import('#contracts');
  return (text, at) => {
    let line: unknown;
    try {
      line = JSON.parse(text);
    } catch {
      throw wrongUsage(`line ${at} is no JSON`);
    }
    const read = auditLineSchema.safeParse(line);
    if (read.success) return read.data;
    throw wrongUsage(`line ${at} is no line of an audit export`);
  };
}

/** A file that `audit export` wrote; no server is asked. @throws {CommandFailure} */
async function checkFile(file: string, check: ChainCheck): Promise<void> {
  const read = await lineReader();
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  let at = 0;
  try {
    for await (const text of lines) {
      at += 1;
      take(check, [read(text, at)]);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : wrongUsage(`${file} cannot be read (${code})`);
  }
}

/** One line for people, behind a line for each finding. @returns the exit code */
function conclude(terminal: Terminal, check: ChainCheck): { readonly text: string; readonly exitCode: number } {
  check.end();
  for (const finding of check.findings) terminal.report(safeLine(`loyaltyd: ${finding}`));
  const unnamed = check.problems - check.findings.length;
  if (unnamed > 0) terminal.report(`loyaltyd: and ${unnamed} more`);
  const { head, startedAfter, problems } = check;
  const older =
    startedAfter === null || startedAfter === '0' ? '' : `; actions up to ${startedAfter} are older than it`;
  const verdict = problems === 0 ? 'the audit is as it was chained' : 'the audit is not as it was chained';
  const text = `${verdict}; head ${head === null ? 'none' : `${head.no}:${head.digest}`}${older}`;
  return { text, exitCode: problems === 0 ? exitOk : exitSomeFailed };
}

async function newCheck({ head: noted = null }: { readonly head?: ChainHead | null }): Promise<ChainCheck> {
  const { ChainCheck: Check } = await import('#intents');
  return new Check({ noted });
}

/** Verifies the chain of a server, or of a file that was exported before. @returns the exit code */
export async function verifyAudit(terminal: Terminal, file: string | undefined, flags: ChainFlags): Promise<number> {
  const check = await newCheck(flags);
  let waiting = 0;
  if (file === undefined) {
    for await (const page of chainPages(terminal, flags)) {
      take(check, [...page.items, ...page.strays]);
      ({ waiting } = page);
    }
  } else {
    await checkFile(file, check);
  }
  const { text, exitCode } = conclude(terminal, check);
  await terminal.print(`${text}${waiting === 0 ? '' : `; ${waiting} actions wait for their link`}\n`);
  return exitCode;
}

/** Writes the chain with what it covers, a JSON object per line, and verifies it. @returns the exit code */
export async function exportAudit(terminal: Terminal, flags: ChainFlags & { readonly file: string }): Promise<number> {
  const check = await newCheck(flags);
  await saveLines(terminal, checkedLines(chainPages(terminal, flags), check), flags.file);
  const { text, exitCode } = conclude(terminal, check);
  terminal.report(text);
  return exitCode;
}
