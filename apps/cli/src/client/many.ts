import { randomUUID } from 'node:crypto';

import type { DoubtfulCalls, JobItemsPage, JobItemView, JobView } from '#contracts';

import { exitError, exitOk, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import { inputJson, inputText } from '../command-line/terminal.js';
import type { ConsentFlags } from './act.js';
import { requireConsent } from './act.js';
import type { Query } from './api-client.js';
import { ApiClient } from './api-client.js';
import type { ConnectionFlags } from './connection.js';
import type { OutputFormat } from './flags.js';
import { resolveConnection } from './connection.js';
import type { JobFlags } from './jobs.js';
import { awaitPlan, beginJob, followJob, itemColumnsOf, changesColumn, jobExitCode, jobText, jobView } from './jobs.js';
import { Table, writeOne } from './output.js';
import type { JobKind } from './paths.js';
import { jobPath } from './paths.js';
import type { QueryKeys } from './query.js';
import { parseQuery, quarantineFilterKeys, replayKeys } from './query.js';
import { safeLine } from './text.js';

/** What every action on many has. */
export interface ManyFlags extends JobFlags, ConsentFlags {
  readonly query: string;
  readonly dryRun?: boolean;
  readonly canary?: boolean;
  /** Per second. */
  readonly rate?: number;
}

interface ManyAsked {
  readonly kind: JobKind;
  /** What it needs besides query and reason. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Of its query. */
  readonly keys: QueryKeys;
}

/** So many of a plan are shown. */
const shownMax = 10;
/** Of so many the request is asked for, too. */
const previewMax = 3;

/** Kinds that change what they are of: the first are shown as they are changed. */
const changingKinds: readonly JobKind[] = ['correct', 'resubmit'];

async function planText(client: ApiClient, plan: JobView): Promise<string> {
  const query = { limit: String(shownMax) };
  const { items } = (await client.get(`${jobPath(plan)}/items`, query)) as JobItemsPage;
  const preview = { limit: String(previewMax), requests: 'true' };
  const isChange = changingKinds.includes(plan.kind);
  const previewed = isChange ? ((await client.get(`${jobPath(plan)}/items`, preview)) as JobItemsPage).items : [];
  const plain = (text: string): string => text;
  const columns = itemColumnsOf(plan);
  const shown = [...previewed, ...items.slice(previewed.length)];
  const table = new Table(isChange ? [...columns, changesColumn] : columns, plain).rows(shown);
  return `${jobText(plan)}\n${table}${previewed.flatMap(previewTexts).map(safeLine).join('\n')}\n`;
}

function previewTexts({ intent, record, request, becomes = [] }: JobItemView): string[] {
  const sent =
    request === null || request === undefined ? [] : [`${intent} would be sent as: ${JSON.stringify(request)}`];
  return [...sent, ...becomes.flatMap((become) => becomesTexts(record, become))];
}

type Becomes = NonNullable<JobItemView['becomes']>[number];

function becomesTexts(record: number | null, { result, why, event, calls }: Becomes): string[] {
  const because = why === null ? '' : ` (${why})`;
  const would = result === 'refused' ? 'be refused again' : result === 'ignored' ? 'have no effect' : 'be taken in';
  return [
    `${record} would ${would}${because}: ${event ?? 'nothing'}`,
    ...calls.map(
      ({ operation, request }) => `  ${operation}: ${request === null ? 'parked' : JSON.stringify(request)}`,
    ),
  ];
}

/** Who is asked types how many it is of. A plan that is not wanted is not left lying about. */
async function isWanted(terminal: Terminal, client: ApiClient, plan: JobView): Promise<boolean> {
  for (const line of (await planText(client, plan)).trimEnd().split('\n')) terminal.report(line);
  const items = String(plan.selection?.items ?? 0);
  if ((await terminal.ask(`Type ${items} to go on: `)).trim() === items) return true;
  await client.post(`${jobPath(plan)}/cancel`, { reason: 'not confirmed on the command line' });
  terminal.report('loyaltyd: nothing was done');
  return false;
}

interface Decided {
  readonly plan: JobView;
  readonly flags: ManyFlags;
}

/** What has begun, under an id of the caller's, was agreed to then. */
async function isAgreed(terminal: Terminal, client: ApiClient, { plan, flags }: Decided): Promise<boolean> {
  return flags.yes === true || plan.state !== 'planned' || isWanted(terminal, client, plan);
}

interface Planned {
  readonly plan: JobView;
  readonly output: OutputFormat;
}

async function showPlan(terminal: Terminal, client: ApiClient, { plan, output }: Planned): Promise<number> {
  const isForPerson = output === 'table' || output === 'wide';
  if (isForPerson) await terminal.print(await planText(client, plan));
  else await writeOne(terminal, jobView, { item: plan, format: output });
  terminal.report(`loyaltyd: to do it, the same with --id ${plan.id} instead of --dry-run`);
  return exitOk;
}

/** Plans an action on many, asks, and has it done. @returns the exit code */
export async function actOnMany(
  terminal: Terminal,
  { kind, body, keys }: ManyAsked,
  flags: ManyFlags,
): Promise<number> {
  const { dryRun = false, reason } = flags;
  if (!dryRun) requireConsent(terminal, flags);
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const asked = { kind, body: { query: parseQuery(flags.query, keys), ...body } };
  // With an id of our own where none was given: the same request again plans nothing twice.
  const begun = await beginJob(client, asked, { reason, id: flags.id ?? randomUUID() });
  const plan = await awaitPlan(terminal, client, begun);
  if (plan.startedAt === null && plan.state !== 'planned') return jobExitCode(terminal, plan);
  if (dryRun) return showPlan(terminal, client, { plan, output: flags.output });
  if (!(await isAgreed(terminal, client, { plan, flags }))) return exitError;
  return carryOut(terminal, client, { plan, flags });
}

/** Has a plan begun, and follows it. */
async function carryOut(terminal: Terminal, client: ApiClient, { plan, flags }: Decided): Promise<number> {
  const { reason, wait, output } = flags;
  const begun = (await client.post(`${jobPath(plan)}/start`, { reason, items: plan.selection?.items })) as JobView;
  const item = wait ? await followJob(terminal, client, begun) : begun;
  await writeOne(terminal, jobView, { item, format: output });
  return jobExitCode(terminal, item);
}

function paceOf({ rate, canary }: ManyFlags): object {
  return { ...(canary !== undefined && { canary }), ...(rate !== undefined && { ratePerSecond: rate }) };
}

export async function resolveMany(terminal: Terminal, flags: ManyFlags & { readonly as: string }): Promise<number> {
  return actOnMany(terminal, { kind: 'resolve', body: { as: flags.as, ...paceOf(flags) }, keys: replayKeys }, flags);
}

export async function cancelMany(
  terminal: Terminal,
  flags: ManyFlags & { readonly notDelivered?: true },
): Promise<number> {
  return actOnMany(
    terminal,
    { kind: 'cancel', body: { notDelivered: flags.notDelivered === true }, keys: replayKeys },
    flags,
  );
}

/** How many are changed alike. */
export interface ChangeFlags {
  /** A file; `-` is standard input. */
  readonly patch?: string;
  /** Fields, such as `data.total.minor`. */
  readonly asText?: string;
  readonly asNumber?: string;
}

/** @throws {CommandFailure} where more than one is given */
async function changeOf(terminal: Terminal, { patch, asText, asNumber }: ChangeFlags): Promise<object | null> {
  const given = [patch, asText, asNumber].filter((flag) => flag !== undefined);
  if (given.length > 1) throw wrongUsage('give one of --patch, --as-text and --as-number');
  if (patch !== undefined) return { patch: await inputJson(terminal, patch) };
  if (asText !== undefined) return { sendAs: { path: asText, as: 'text' } };
  return asNumber === undefined ? null : { sendAs: { path: asNumber, as: 'number' } };
}

export interface CorrectManyFlags extends ManyFlags, ChangeFlags {
  readonly replay?: true;
}

export async function correctMany(terminal: Terminal, flags: CorrectManyFlags): Promise<number> {
  const { replay = false } = flags;
  const change = await changeOf(terminal, flags);
  if (change === null) throw wrongUsage('give one of --patch, --as-text and --as-number');
  return actOnMany(
    terminal,
    { kind: 'correct', body: { ...change, replay, ...paceOf(flags) }, keys: replayKeys },
    flags,
  );
}

/** Records that were set aside. */
export async function settleRecordsOfQuery(
  terminal: Terminal,
  kind: 'resubmit' | 'discard',
  flags: ManyFlags & ChangeFlags,
): Promise<number> {
  const body = { ...(await changeOf(terminal, flags)) };
  return actOnMany(terminal, { kind, body, keys: quarantineFilterKeys }, flags);
}

/** What a look at the partner proves of what is in doubt. */
export async function askMany(terminal: Terminal, flags: ManyFlags): Promise<number> {
  return actOnMany(terminal, { kind: 'ask', body: { ...paceOf(flags) }, keys: replayKeys }, flags);
}

export interface SettleFlags extends ManyFlags {
  /** A file; `-` is standard input. */
  readonly list: string;
  readonly completeFrom?: string;
  readonly completeTo?: string;
  readonly types?: string;
}

function completeOf({ completeFrom: from, completeTo: to, types }: SettleFlags): object {
  const given = [from, to, types].filter((each) => each !== undefined);
  if (given.length === 0) return {};
  if (given.length < 3) throw wrongUsage('--complete-from, --complete-to and --types go together');
  return { complete: { from, to, types: types?.split(',') } };
}

export async function settleMany(terminal: Terminal, flags: SettleFlags): Promise<number> {
  const complete = completeOf(flags);
  const list = await inputText(terminal, flags.list);
  return actOnMany(terminal, { kind: 'settle', body: { list, ...complete }, keys: replayKeys }, flags);
}

export interface DoubtsFlags extends ConnectionFlags {
  readonly query: string;
  readonly output: 'csv' | 'jsonl';
}

/** What is in doubt, for the partner. @returns the exit code */
export async function listDoubts(terminal: Terminal, { query, output, ...flags }: DoubtsFlags): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const asked: Query = parseQuery(query, replayKeys);
  const { csv, items } = (await client.get('/intents/in-doubt', asked)) as DoubtfulCalls;
  await terminal.print(output === 'csv' ? csv : items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  return exitOk;
}
