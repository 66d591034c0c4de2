import type { JobView } from '#contracts';

import { exitError } from '../../command-line/exit-codes.js';
import { CommandFailure } from '../../command-line/command-failure.js';
import type { ConnectionFlags } from '../connection/resolve-connection.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { ApiClient } from '../http/api-client.js';
import { pagedList } from '../http/list-pages.js';
import { safeJson } from '../output/safe-text.js';
import type { Terminal } from '../terminal/terminal.js';
import { ReaderGone } from '../terminal/terminal.js';
import { jobPath } from './job.js';
import type { BeginFlags } from './run-job.js';
import { beginJob, jobAtItsEnd, jobExitCode } from './run-job.js';
import type { Sink } from './sinks.js';
import { fileSink, outputSink } from './sinks.js';

export interface ExportFlags extends ConnectionFlags, BeginFlags {
  readonly program?: string;
  readonly from?: string;
  readonly to?: string;
  /** A file, or `-` for standard output. */
  readonly file: string;
}

const kind = 'export';

async function copyLines(client: ApiClient, job: JobView, sink: Sink): Promise<number> {
  const request = { path: `${jobPath({ kind, id: job.id })}/lines`, query: {}, limit: Infinity, isWanted: () => true };
  let lines = 0;
  for await (const { items } of pagedList<unknown>(client, request)) {
    await sink.write(items.map((item) => `${safeJson(item)}\n`).join(''));
    lines += items.length;
  }
  return lines;
}

/** Whoever reads half of an export must not take it for the whole. */
function incomplete(error: unknown): unknown {
  return error instanceof ReaderGone ? new CommandFailure('nobody reads the export any more: it is incomplete') : error;
}

async function save(
  terminal: Terminal,
  { client, job }: { client: ApiClient; job: JobView },
  file: string,
): Promise<void> {
  const sink = file === '-' ? outputSink(terminal) : await fileSink(file);
  try {
    const lines = await copyLines(client, job, sink);
    await sink.end();
    terminal.tell(`${lines} lines${file === '-' ? '' : ` in ${file}`}`);
  } catch (error) {
    await sink.abandon();
    throw incomplete(error);
  }
}

/** Has the server export, then fetches what it wrote down, a JSON object per line. @returns the exit code */
export async function exportAll(terminal: Terminal, flags: ExportFlags): Promise<number> {
  const { program, from, to, file } = flags;
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const begun = await beginJob(client, { kind, says: { program, from, to } }, flags);
  const job = await jobAtItsEnd(terminal, client, { kind, job: begun });
  const exitCode = jobExitCode(terminal, job);
  if (exitCode !== exitError) await save(terminal, { client, job }, file);
  return exitCode;
}
