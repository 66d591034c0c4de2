import { exitNothingMatched, exitOk, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import type { ApiClient, Query } from './api-client.js';
import { safeLines } from './text.js';

/** Of the server; more comes in several. */
const downloadMax = 100_000;

interface Download {
  readonly path: string;
  readonly query: Query;
  /** Infinite: all. */
  readonly limit: number;
}

/** The server's last line where not all was sent. */
const notAll = /^not all: the rest begins at cursor=([\w-]+)\n$/;

/** The text that comes, line by line, each with its end. */
async function* linesOf(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let open = '';
  for await (const part of parts) {
    const lines = (open + part).split('\n');
    open = lines.pop() ?? '';
    yield* lines.map((line) => `${line}\n`);
  }
  if (open !== '') yield open;
}

interface Copied {
  readonly lines: number;
  /** Null: it is whole. */
  readonly cursor: string | null;
}

/** Writes as it comes; the last line is known when nothing follows it. */
async function copy(terminal: Terminal, lines: AsyncIterable<string>, isFirst: boolean): Promise<Copied> {
  let count = 0;
  let last = '';
  for await (const line of lines) {
    if (last !== '') await terminal.print(safeLines(last));
    count += 1;
    // Each download begins with the names of its columns.
    last = count === 1 && !isFirst ? '' : line;
  }
  const cursor = notAll.exec(last)?.[1] ?? null;
  if (last !== '' && cursor === null) await terminal.print(safeLines(last));
  return { lines: count, cursor };
}

/** A list as the server writes it, as CSV. @returns the exit code */
export async function downloadList(terminal: Terminal, client: ApiClient, download: Download): Promise<number> {
  const { path, query, limit } = download;
  if (Number.isFinite(limit) && limit > downloadMax) {
    throw wrongUsage(`--limit: with -o csv ${downloadMax} at most, or all`);
  }
  const asked = { ...query, format: 'csv', limit: String(Math.min(limit, downloadMax)) };
  let copied = await copy(terminal, linesOf(client.text(path, asked)), true);
  const isNothing = copied.lines === 1;
  while (copied.cursor !== null && limit === Infinity) {
    const { cursor } = copied;
    copied = await copy(terminal, linesOf(client.text(path, { ...asked, cursor })), false);
  }
  if (copied.cursor !== null) terminal.report(`loyaltyd: there are more than ${limit}: --limit shows them`);
  if (isNothing) terminal.report('loyaltyd: nothing matches');
  return isNothing ? exitNothingMatched : exitOk;
}
