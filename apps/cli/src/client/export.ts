import { open, rename, rm } from 'node:fs/promises';

import type { JobView } from '#contracts';

import { CommandFailure, exitError } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import { ReaderGone } from '../command-line/terminal.js';
import { ApiClient, pagedList } from './api-client.js';
import type { ConnectionFlags } from './connection.js';
import { resolveConnection } from './connection.js';
import type { BeginFlags } from './jobs.js';
import { beginJob, followJob, jobExitCode } from './jobs.js';
import { jobPath } from './paths.js';
import { safeJson } from './text.js';

/** Where an export goes. */
interface Sink {
  write(text: string): Promise<void>;
  end(): Promise<void>;
  abandon(): Promise<void>;
}

function outputSink(terminal: Terminal): Sink {
  return { write: (text) => terminal.print(text), end: async () => undefined, abandon: async () => undefined };
}

/** A file that has its name only when it is whole; for this user alone. @throws {CommandFailure} */
async function fileSink(path: string): Promise<Sink> {
  const draft = `${path}.part`;
  const file = await open(draft, 'w', 0o600).catch((error: unknown) => {
    throw new CommandFailure(
      `${draft} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
    );
  });
  return {
    write: async (text) => {
      await file.writeFile(text);
    },
    end: async () => {
      await file.sync();
      await file.close();
      await rename(draft, path);
    },
    abandon: async () => {
      await file.close();
      await rm(draft, { force: true });
    },
  };
}

export interface ExportFlags extends ConnectionFlags, BeginFlags {
  readonly program?: string;
  readonly member?: string;
  readonly from?: string;
  readonly to?: string;
  /** A file, or `-` for standard output. */
  readonly file: string;
}

const kind = 'export';

async function* exportedLines(client: ApiClient, job: JobView): AsyncGenerator<readonly unknown[]> {
  const request = { path: `${jobPath(job)}/lines`, query: {}, limit: Infinity, isWanted: () => true };
  for await (const { items } of pagedList<unknown>(client, request)) yield items;
}

async function copyLines(pages: AsyncIterable<readonly unknown[]>, sink: Sink): Promise<number> {
  let lines = 0;
  for await (const items of pages) {
    await sink.write(items.map((item) => `${safeJson(item)}\n`).join(''));
    lines += items.length;
  }
  return lines;
}

/** Half of an export must not be taken for the whole. */
function incomplete(error: unknown): unknown {
  return error instanceof ReaderGone ? new CommandFailure('nobody reads the export any more: it is incomplete') : error;
}

/** Writes a line for each item to a file, or to standard output by `-`. @throws {CommandFailure}, or what `pages` throws */
async function saveLines(terminal: Terminal, pages: AsyncIterable<readonly unknown[]>, file: string): Promise<void> {
  const sink = file === '-' ? outputSink(terminal) : await fileSink(file);
  try {
    const lines = await copyLines(pages, sink);
    await sink.end();
    terminal.report(`${lines} lines${file === '-' ? '' : ` in ${file}`}`);
  } catch (error) {
    await sink.abandon();
    throw incomplete(error);
  }
}

/** Has the server export, then fetches what it wrote down, a JSON object per line. @returns the exit code */
export async function exportAll(terminal: Terminal, flags: ExportFlags): Promise<number> {
  const { program, member: memberId, from, to, file } = flags;
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const begun = await beginJob(client, { kind, body: { program, memberId, from, to } }, flags);
  const job = await followJob(terminal, client, begun);
  const exitCode = jobExitCode(terminal, job);
  if (exitCode !== exitError) await saveLines(terminal, exportedLines(client, job), file);
  return exitCode;
}
