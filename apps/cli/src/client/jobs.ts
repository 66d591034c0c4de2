import type { JobLinesPage, JobView } from '#contracts';

import { exitError, exitOk, exitSomeFailed, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import type { ActFlags, ConsentFlags, Steering } from './act.js';
import { act, consents } from './act.js';
import { ApiClient, pagedList, wholeList } from './api-client.js';
import { resolveConnection } from './connection.js';
import type { OneView } from './output.js';
import { statusColour, writeOne } from './output.js';
import type { JobKind, JobName, MemberName } from './paths.js';
import { jobKinds, jobName, jobPath, jobsPath } from './paths.js';
import type { Described, ListSource } from './show.js';
import { ageText, countsText, fields, payloadText, safeLine, section, timeText } from './text.js';
import { follow } from './watch.js';

/** Nothing more will come of a job in these. */
const finalStates: readonly JobView['state'][] = ['done', 'failed', 'cancelled'];

export const jobsSource: ListSource<JobView> = {
  path: jobsPath,
  keys: { kind: jobKinds },
  pages: wholeList,
  since: ({ createdAt }) => createdAt,
  columns: [
    { title: 'JOB', of: jobName },
    { title: 'STATE', of: ({ state }) => state, colour: ({ state }) => statusColour(state) },
    { title: 'PROGRAM', of: ({ program }) => program },
    { title: 'PROGRESS', of: ({ progress }) => countsText(progress) },
    { title: 'BY', of: ({ createdBy }) => createdBy },
    { title: 'AGE', of: ({ createdAt }) => ageText(createdAt) },
    { title: 'FINISHED', of: ({ finishedAt }) => finishedAt, isWide: true },
    { title: 'ERROR', of: ({ error }) => error, isWide: true },
    { title: 'REASON', of: ({ reason }) => reason },
  ],
  nameOf: jobName,
};

type Line = JobLinesPage['items'][number];

/** What a job found or wrote down, in its order. */
export function jobLinesSource(name: JobName): ListSource<Line> {
  return {
    path: `${jobPath(name)}/lines`,
    keys: {},
    pages: pagedList,
    since: () => '',
    columns: [{ title: 'LINE', of: (line) => JSON.stringify(line) }],
    nameOf: (line) => JSON.stringify(line),
  };
}

/** What a job says of itself, and its report. */
export function jobText(job: JobView): string {
  const head = fields([
    ['Job', jobName(job)],
    ['State', job.state],
    ['Error', job.error],
    ['Program', job.program],
    ['Reason', job.reason],
    ['By', job.createdBy],
    ['Created', timeText(job.createdAt)],
    ['Finished', timeText(job.finishedAt)],
    ['Progress', countsText(job.progress)],
  ]);
  return `${head}${section('Report', payloadText(job.report))}`;
}

const jobView: OneView<JobView> = { text: jobText, nameOf: jobName };

/** Stored work on many records, with its report. */
export function describedJob(name: JobName): Described<JobView> {
  return {
    load: async (client) => (await client.get(jobPath(name))) as JobView,
    text: jobText,
    nameOf: (found) => jobName({ ...found, kind: name.kind }),
  };
}

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
  readonly body: Readonly<Record<string, unknown>>;
}

/** Has the server begin a job. */
export async function beginJob(client: ApiClient, { kind, body }: JobRequest, flags: BeginFlags): Promise<JobView> {
  const { reason, id } = flags;
  return (await client.post(jobsPath, { kind, ...body, reason, id })) as JobView;
}

function progressLine(kind: JobKind, { id, state, progress, error }: JobView): string {
  const trouble = error === null ? '' : `; ${error}`;
  return safeLine(`${jobName({ kind, id })}: ${[state, countsText(progress)].filter(Boolean).join(', ')}${trouble}`);
}

/** Waits until nothing more will come of a job. */
export async function followJob(
  terminal: Terminal,
  client: ApiClient,
  begun: { readonly kind: JobKind; readonly job: JobView },
): Promise<JobView> {
  const { kind, job } = begun;
  const name = { kind, id: job.id };
  return follow(terminal, job, {
    load: async () => (await client.get(jobPath(name))) as JobView,
    isFinished: ({ state }) => finalStates.includes(state),
    line: (seen) => progressLine(kind, seen),
    pollLater: `loyaltyd describe job ${jobName(name)}`,
  });
}

/** What came of it; what is wrong is reported. */
export function jobExitCode(terminal: Terminal, { state, error, progress }: JobView): number {
  if (state === 'failed') terminal.report(`loyaltyd: it failed: ${safeLine(error ?? 'no reason was given')}`);
  if (state === 'cancelled') terminal.report('loyaltyd: it was cancelled');
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
  const job = await followJob(terminal, client, { kind, job: begun });
  const isForProgram = format !== 'table' && format !== 'wide' && format !== 'name';
  if (isForProgram) await writeOne(terminal, { text: () => '', nameOf: () => '' }, { item: job.report, format });
  else await writeOne(terminal, view, { item: job, format });
  return jobExitCode(terminal, job);
}

export interface ProvisionFlags extends JobFlags {
  readonly program?: string;
  readonly plan?: boolean;
  readonly apply?: boolean;
}

/** Plans, or creates at the partner, what the programs file declares. @returns the exit code */
export async function provision(terminal: Terminal, flags: ProvisionFlags): Promise<number> {
  const { program, plan = false, apply = false } = flags;
  if (plan === apply) throw wrongUsage('provision: --plan to look, or --apply to create');
  return runJob(terminal, { kind: 'provisioning', body: { program, apply } }, flags);
}

/** Asks a person first: it cannot be undone. A program that names one member has decided. @returns the exit code */
export async function erase(
  terminal: Terminal,
  { program, memberId }: MemberName,
  flags: JobFlags & ConsentFlags,
): Promise<number> {
  const isAgreed = { yes: flags.yes === true || !terminal.isInteractive };
  const question = `Erase ${safeLine(`${program}/${memberId}`)} for ever?`;
  if (!(await consents(terminal, isAgreed, question))) return exitError;
  return runJob(terminal, { kind: 'erasure', body: { program, memberId } }, flags);
}

/** Pauses, resumes or cancels a job. @returns the exit code */
export async function steerJob(
  terminal: Terminal,
  { name, steering }: { readonly name: JobName; readonly steering: Steering },
  flags: ActFlags,
): Promise<number> {
  await act(terminal, { path: `${jobPath(name)}/${steering}`, view: jobView }, flags);
  return exitOk;
}
