import type { JobView } from '#contracts';

import { exitError, exitOk, exitSomeFailed } from '../../command-line/exit-codes.js';
import type { ActFlags } from '../act/act-on-intent.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { jobText } from '../describe/job.js';
import { follow } from '../follow/follow.js';
import { ApiClient } from '../http/api-client.js';
import { countsText } from '../output/counts.js';
import { safeLine } from '../output/safe-text.js';
import { writeOne } from '../output/write-one.js';
import type { Terminal } from '../terminal/terminal.js';
import type { JobKind } from './job.js';
import { isFinished, jobName, jobPath, jobPaths } from './job.js';

/** What every request for a job carries. */
export interface BeginFlags {
  readonly reason: string;
  readonly id?: string;
}

export interface JobFlags extends ActFlags, BeginFlags {
  readonly wait: boolean;
}

export interface JobRequest {
  readonly kind: JobKind;
  /** What it needs besides the reason; what is undefined is left out. */
  readonly says: Readonly<Record<string, unknown>>;
}

/** Has the server begin a job. */
export async function beginJob(client: ApiClient, { kind, says }: JobRequest, flags: BeginFlags): Promise<JobView> {
  const { reason, id } = flags;
  return (await client.post(jobPaths[kind], { ...says, reason, id })) as JobView;
}

function progressLine(kind: JobKind, { id, state, progress, error }: JobView): string {
  const trouble = error === null ? '' : `; ${error}`;
  return safeLine(`${jobName({ kind, id })}: ${[state, countsText(progress)].filter(Boolean).join(', ')}${trouble}`);
}

/** Waits until nothing more will come of a job. */
export async function jobAtItsEnd(
  terminal: Terminal,
  client: ApiClient,
  begun: { readonly kind: JobKind; readonly job: JobView },
): Promise<JobView> {
  const { kind, job } = begun;
  const name = { kind, id: job.id };
  return follow(terminal, job, {
    load: async () => (await client.get(jobPath(name))) as JobView,
    isFinished,
    line: (seen) => progressLine(kind, seen),
    lookLater: `loyaltyd describe job ${jobName(name)}`,
  });
}

/** What came of it; what is wrong is told. */
export function jobExitCode(terminal: Terminal, { state, error, progress }: JobView): number {
  if (state === 'failed') terminal.tell(`loyaltyd: it failed: ${safeLine(error ?? 'no reason was given')}`);
  if (state === 'cancelled') terminal.tell('loyaltyd: it was cancelled');
  if (state !== 'done') return exitError;
  return (progress['failed'] ?? 0) > 0 ? exitSomeFailed : exitOk;
}

/** Runs a job of the server, and shows its report. @returns the exit code */
export async function runJob(terminal: Terminal, request: JobRequest, flags: JobFlags): Promise<number> {
  const { kind } = request;
  const { output: format, wait } = flags;
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const begun = await beginJob(client, request, flags);
  const view = { text: jobText, nameOf: ({ id }: JobView) => jobName({ kind, id }) };
  if (!wait) {
    await writeOne(terminal, view, { item: begun, format });
    return exitOk;
  }
  const job = await jobAtItsEnd(terminal, client, { kind, job: begun });
  const isForProgram = format !== 'table' && format !== 'wide' && format !== 'name';
  if (isForProgram) await writeOne(terminal, { text: () => '', nameOf: () => '' }, { item: job.report, format });
  else await writeOne(terminal, view, { item: job, format });
  return jobExitCode(terminal, job);
}
