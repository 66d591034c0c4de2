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
import { beginJob, followJob, itemColumns, changesColumn, jobExitCode, jobText, jobView } from './jobs.js';
import { Table, writeOne } from './output.js';
import type { JobKind } from './paths.js';
import { jobPath } from './paths.js';
import { parseQuery, replayKeys } from './query.js';

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
}

/** So many of a plan are shown. */
const shownMax = 10;
/** Of so many the request is asked for, too. */
const previewMax = 3;

async function planText(client: ApiClient, plan: JobView): Promise<string> {
  const query = { limit: String(shownMax) };
  const { items } = (await client.get(`${jobPath(plan)}/items`, query)) as JobItemsPage;
  const preview = { limit: String(previewMax), requests: 'true' };
  const isChange = plan.kind === 'correct';
  const previewed = isChange ? ((await client.get(`${jobPath(plan)}/items`, preview)) as JobItemsPage).items : [];
  const plain = (text: string): string => text;
  const columns = isChange ? [...itemColumns, changesColumn] : itemColumns;
  const shown = [...previewed, ...items.slice(previewed.length)];
  return `${jobText(plan)}\n${new Table(columns, plain).rows(shown)}${previewed.map(requestText).join('')}`;
}

function requestText({ intent, request }: JobItemView): string {
  return request === null || request === undefined ? '' : `${intent} would be sent as: ${JSON.stringify(request)}\n`;
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
export async function actOnMany(terminal: Terminal, { kind, body }: ManyAsked, flags: ManyFlags): Promise<number> {
  const { dryRun = false, yes = false, reason } = flags;
  if (!dryRun) requireConsent(terminal, flags);
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const asked = { kind, body: { query: parseQuery(flags.query, replayKeys), ...body } };
  // With an id of our own where none was given: the same request again plans nothing twice.
  const plan = await beginJob(client, asked, { reason, id: flags.id ?? randomUUID() });
  if (dryRun) return showPlan(terminal, client, { plan, output: flags.output });
  if (plan.state === 'planned' && !yes && !(await isWanted(terminal, client, plan))) return exitError;
  return carryOut(terminal, client, { plan, flags });
}

/** Has a plan begun, and follows it. */
async function carryOut(
  terminal: Terminal,
  client: ApiClient,
  { plan, flags }: { readonly plan: JobView; readonly flags: ManyFlags },
): Promise<number> {
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
  return actOnMany(terminal, { kind: 'resolve', body: { as: flags.as, ...paceOf(flags) } }, flags);
}

export async function cancelMany(
  terminal: Terminal,
  flags: ManyFlags & { readonly notDelivered?: true },
): Promise<number> {
  return actOnMany(terminal, { kind: 'cancel', body: { notDelivered: flags.notDelivered === true } }, flags);
}

export interface CorrectManyFlags extends ManyFlags {
  /** A file; `-` is standard input. */
  readonly patch?: string;
  /** `attributes.campaign=text` */
  readonly sendAs?: string;
  readonly replay?: true;
}

/** @throws {CommandFailure} */
export function sendAsOf(text: string): { readonly path: string; readonly as: string } {
  const [, path, as] = /^(.+)=(text|number)$/.exec(text) ?? [];
  if (path === undefined || as === undefined) {
    throw wrongUsage('--send-as: must be a field and text or number, such as attributes.campaign=text');
  }
  return { path, as };
}

export async function correctMany(terminal: Terminal, flags: CorrectManyFlags): Promise<number> {
  const { patch, sendAs, replay = false } = flags;
  if ((patch === undefined) === (sendAs === undefined)) throw wrongUsage('give one of --patch and --send-as');
  const change = patch === undefined ? { sendAs: sendAsOf(sendAs ?? '') } : { patch: await inputJson(terminal, patch) };
  return actOnMany(terminal, { kind: 'correct', body: { ...change, replay, ...paceOf(flags) } }, flags);
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
  return actOnMany(terminal, { kind: 'settle', body: { list, ...complete } }, flags);
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
