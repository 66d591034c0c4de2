import type { JobItemsPage, JobItemView, JobLinesPage, JobView } from '#contracts';

import { exitError, exitOk, exitSomeFailed, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import type { ActFlags, ConsentFlags, Steering } from './act.js';
import { act, consents } from './act.js';
import type { ListRequest, Page, Query } from './api-client.js';
import { ApiClient, pagedList, wholeList } from './api-client.js';
import { resolveConnection } from './connection.js';
import type { WaitingJob } from './job-holds.js';
import { withHolds } from './job-holds.js';
import type { Column, OneView, Paint } from './output.js';
import { statusColour, Table, writeOne } from './output.js';
import type { JobKind, JobName, MemberName } from './paths.js';
import { jobName, jobPath, jobsPath } from './paths.js';
import { jobItemKeys } from './query.js';
import type { Described, ListSource } from './show.js';
import { ageText, countOf, countsText, fields, moneysText, payloadText, safeLine, section, timeText } from './text.js';
import { follow } from './watch.js';

/** Nothing more will come of a job in these. */
const finalStates: readonly JobView['state'][] = ['done', 'stopped', 'failed', 'cancelled'];

/** What came of its items; of a job without any what it has counted. */
function progressText({ selection, progress, startedAt }: JobView): string {
  const isTried = startedAt === null && Object.keys(progress).length > 0;
  if (selection !== null && isTried) return `${countsText(progress)} of ${selection.items}`;
  return selection === null ? countsText(progress) : `${countsText(selection.byState)} of ${selection.items}`;
}

/** Jobs as the API lists them, each with what holds it. */
async function* jobPages(client: ApiClient, request: ListRequest<WaitingJob>): AsyncGenerator<Page<WaitingJob>> {
  for await (const page of wholeList(client, request)) yield { ...page, items: await withHolds(client, page.items) };
}

const stateText = ({ state, waitsFor }: WaitingJob): string =>
  waitsFor === undefined ? state : `${state}, waits for a pause`;

export const jobsSource: ListSource<WaitingJob> = {
  path: jobsPath,
  keys: { kind: null },
  pages: jobPages,
  since: ({ createdAt }) => createdAt,
  columns: [
    { title: 'JOB', of: jobName },
    { title: 'STATE', of: stateText, colour: ({ state }) => statusColour(state) },
    { title: 'PROGRAM', of: ({ program }) => program },
    { title: 'PROGRESS', of: progressText },
    { title: 'AT STAKE', of: ({ selection }) => moneysText(selection?.money ?? []), side: 'right', isWide: true },
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

const itemColumns: readonly Column<JobItemView>[] = [
  { title: 'INTENT', of: ({ intent }) => intent },
  { title: 'STATE', of: ({ state }) => state, colour: ({ state }) => statusColour(state) },
  { title: 'FORECAST', of: ({ forecast }) => forecast },
  { title: 'OVERTAKEN', of: ({ overtaken }) => overtaken, side: 'right' },
  { title: 'SENT', of: ({ sentAt }) => ageText(sentAt) },
  { title: 'DETAIL', of: ({ detail }) => detail },
];

const recordKinds: readonly string[] = ['resubmit', 'discard'];

/** Jobs on records say which, and what each has become. */
export function itemColumnsOf({ kind }: { readonly kind: string }): readonly Column<JobItemView>[] {
  const record: Column<JobItemView> = { title: 'RECORD', of: ({ record: id }) => id, side: 'right' };
  const isOther = ({ title }: Column<JobItemView>): boolean => title !== 'OVERTAKEN' && title !== 'SENT';
  return recordKinds.includes(kind) ? [record, ...itemColumns.filter(isOther)] : itemColumns;
}

/** In what the programs file of now plans an item otherwise. */
export const changesColumn: Column<JobItemView> = {
  title: 'CHANGES',
  of: ({ changes = [] }) =>
    changes.map(({ path, from, to }) => `${path}: ${valueText(from)} -> ${valueText(to)}`).join('; '),
};

const valueText = (value: unknown): string => (value === undefined || value === null ? 'none' : JSON.stringify(value));

/** What came of each item of a job, in the order in which they are sent. */
export function jobItemsSource(
  name: JobName,
  { requests = false }: { readonly requests?: boolean },
): ListSource<JobItemView> {
  const extra: Query = requests ? { requests: 'true' } : {};
  return {
    path: `${jobPath(name)}/items`,
    keys: jobItemKeys,
    pages: (client, request) => pagedList(client, { ...request, query: { ...request.query, ...extra } }),
    since: ({ sentAt }) => sentAt ?? '',
    columns: requests ? [...itemColumnsOf(name), changesColumn] : itemColumnsOf(name),
    nameOf: ({ intent, record }) => intent ?? String(record),
  };
}

/** Null of a dry run. Who made it need not be who had it sent. */
function startText({ startedAt, startedBy, startReason }: JobView): string | null {
  return startedBy === null ? null : `${timeText(startedAt)} by ${startedBy}: ${startReason ?? ''}`;
}

function paceText({ ratePerSecond, canary, request }: JobView): string | null {
  const forced = request['force'] === true ? ', forced' : '';
  const rate = ratePerSecond === null ? 'as its kind has it' : `${ratePerSecond}/s`;
  return ratePerSecond === null && !canary ? null : `${rate}, ${canary ? 'with a canary' : 'no canary'}${forced}`;
}

type Selection = NonNullable<JobView['selection']>;

/** What was most likely done already must not be sent again by a hasty word. */
function warningOf({ byForecast }: Selection, state: JobView['state']): string | null {
  const { 'answered-yes': count = 0 } = byForecast;
  if (count === 0 || state !== 'planned') return null;
  return `the partner answered ${count} of them with a 2xx that proved nothing: read again first (loyaltyd reread)`;
}

function selectionFields({ selection, state, request }: JobView): Parameters<typeof fields>[0] {
  if (selection === null) return [];
  const { money, items, byForecast, byState, notes = [], refusedBy = [] } = selection;
  return [
    ['Query', JSON.stringify(request['query'] ?? {})],
    ['At stake', moneysText(money)],
    ['Items', items],
    ['Forecast', countsText(byForecast)],
    ...refusedBy.map(({ rule, records }): Parameters<typeof fields>[0][number] => [
      'Refused by',
      `${records}: ${rule}`,
    ]),
    ...notes.map((note): Parameters<typeof fields>[0][number] => ['Note', note]),
    ['Warning', warningOf(selection, state)],
    ['Result', countsText(byState)],
  ];
}

/** What a job says of itself, and its report. */
export function jobText(job: WaitingJob): string {
  const head = fields([
    ['Job', jobName(job)],
    ['State', job.state],
    ['Waits', job.waitsFor === undefined ? null : `for a pause: ${job.waitsFor.join(', ')}`],
    ['Error', job.error],
    ['Program', job.program],
    ['Reason', job.reason],
    ['By', job.createdBy],
    ['Created', timeText(job.createdAt)],
    ['Started', startText(job)],
    ['Finished', timeText(job.finishedAt)],
    ['Rate', paceText(job)],
    ['Progress', countsText(job.progress)],
    ...selectionFields(job),
  ]);
  return `${head}${section('Report', payloadText(job.report))}`;
}

export const jobView: OneView<JobView> = { text: jobText, nameOf: jobName };

/** Of each kind so many are shown. */
const failedShownMax = 20;
const failedItemStates = ['parked', 'refused', 'cancelled'] as const;

/** A job with the first of its items that failed. */
type JobStory = WaitingJob & {
  readonly failedItems?: readonly JobItemView[];
};

async function failedItems(client: ApiClient, job: JobView): Promise<JobItemView[]> {
  const states = failedItemStates.filter((state) => (job.selection?.byState[state] ?? 0) > 0);
  const pages = await Promise.all(
    states.map((state) => client.get(`${jobPath(job)}/items`, { state, limit: String(failedShownMax) })),
  );
  return pages.flatMap((page) => (page as JobItemsPage).items);
}

function storyText(job: JobStory, paint: Paint): string {
  const { failedItems: failed = [] } = job;
  const table = failed.length === 0 ? '' : new Table(itemColumnsOf(job), paint).rows(failed);
  return `${jobText(job)}${section(`Failed (\`loyaltyd get job-items ${jobName(job)}\` has all)`, table)}`;
}

/** Stored work on many records, with its report and what failed of it. */
export function describedJob(name: JobName): Described<JobStory> {
  return {
    load: async (client) => {
      const found = (await client.get(jobPath(name))) as JobView;
      const [job = found] = await withHolds(client, [found]);
      return job.selection === null ? job : { ...job, failedItems: await failedItems(client, job) };
    },
    text: storyText,
    nameOf: jobName,
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

function progressLine(job: JobView): string {
  const { state, error } = job;
  const trouble = error === null ? '' : `; ${error}`;
  return safeLine(`${jobName(job)}: ${[state, progressText(job)].filter(Boolean).join(', ')}${trouble}`);
}

/** Waits until nothing more will come of a job. */
export async function followJob(terminal: Terminal, client: ApiClient, job: JobView): Promise<JobView> {
  return follow(terminal, job, {
    load: async () => (await client.get(jobPath(job))) as JobView,
    isFinished: ({ state }) => finalStates.includes(state),
    line: progressLine,
    pollLater: `loyaltyd describe job ${jobName(job)}`,
  });
}

/** Waits until a plan that tries each item is made; others are made with their request. */
export async function awaitPlan(terminal: Terminal, client: ApiClient, job: JobView): Promise<JobView> {
  const isMade = ({ state, startedAt }: JobView): boolean =>
    state === 'planned' || startedAt !== null || finalStates.includes(state);
  if (isMade(job)) return job;
  return follow(terminal, job, {
    load: async () => (await client.get(jobPath(job))) as JobView,
    isFinished: isMade,
    line: progressLine,
    pollLater: `loyaltyd describe job ${jobName(job)}`,
  });
}

/** Of a job that has ended, `sent` is what stands still behind something that blocks its member. */
const failedStates = ['parked', 'refused', 'cancelled', 'skipped', 'sent'];

function isWhole({ selection, progress }: JobView): boolean {
  const failed = selection === null ? 0 : countOf(selection.byState, failedStates);
  return failed === 0 && (progress['failed'] ?? 0) === 0;
}

function reportEnd(terminal: Terminal, job: JobView): void {
  const why = safeLine(job.error ?? 'no reason was given');
  if (job.state === 'failed') terminal.report(`loyaltyd: it failed: ${why}`);
  if (job.state === 'cancelled') terminal.report('loyaltyd: it was cancelled');
  if (job.state !== 'stopped') return;
  terminal.report(`loyaltyd: it stopped by itself: ${why}`);
  terminal.report(`loyaltyd: mend the cause, then: loyaltyd resume job ${jobName(job)} --reason "…"`);
}

/** What came of it; what is wrong is reported. */
export function jobExitCode(terminal: Terminal, job: JobView): number {
  reportEnd(terminal, job);
  if (!finalStates.includes(job.state)) return exitOk;
  if (job.state === 'stopped') return exitSomeFailed;
  if (job.state !== 'done') return exitError;
  return isWhole(job) ? exitOk : exitSomeFailed;
}

/** Runs a job of the server, and shows its report. @returns the exit code */
export async function runJob(terminal: Terminal, request: JobRequest, flags: JobFlags): Promise<number> {
  const { output: format, wait } = flags;
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const begun = await beginJob(client, request, flags);
  if (!wait) {
    await writeOne(terminal, jobView, { item: begun, format });
    return exitOk;
  }
  const job = await followJob(terminal, client, begun);
  const isForProgram = format !== 'table' && format !== 'wide' && format !== 'name';
  if (isForProgram) await writeOne(terminal, { text: () => '', nameOf: () => '' }, { item: job.report, format });
  else await writeOne(terminal, jobView, { item: job, format });
  return jobExitCode(terminal, job);
}

export interface ProvisionFlags extends JobFlags {
  readonly program?: string;
  readonly plan?: boolean;
  readonly apply?: boolean;
}

/** Plans, or creates at the partner, what the programs file declares. @returns the exit code */
export async function provision(terminal: Terminal, flags: ProvisionFlags, pace: object): Promise<number> {
  const { program, plan = false, apply = false } = flags;
  if (plan === apply) throw wrongUsage('provision: --plan to look, or --apply to create');
  return runJob(terminal, { kind: 'provision', body: { program, apply, ...pace } }, flags);
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
  return runJob(terminal, { kind: 'erase', body: { program, memberId } }, flags);
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
