import { randomUUID } from 'node:crypto';

import type { ReplayItemsPage, ReplayItemView, ReplayView } from '#contracts';

import {
  CommandFailure,
  exitError,
  exitNothingMatched,
  exitOk,
  exitSomeFailed,
  wrongUsage,
} from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import type { ActFlags, ConsentFlags, Steering } from './act.js';
import { act, consents, requireConsent } from './act.js';
import type { Query } from './api-client.js';
import { ApiClient, ApiFailure, pagedList, wholeList } from './api-client.js';
import type { Connection } from './connection.js';
import { resolveConnection } from './connection.js';
import type { Column, Paint } from './output.js';
import { statusColour, Table, writeOne } from './output.js';
import { replayPath } from './paths.js';
import { parseQuery, replayItemKeys, replayKeys } from './query.js';
import type { Described, ListSource } from './show.js';
import { ageText, countOf, countsText, fields, moneysText, section, timeText } from './text.js';
import { follow } from './watch.js';

export const replaysSource: ListSource<ReplayView> = {
  path: '/replays',
  keys: {},
  pages: wholeList,
  since: ({ createdAt }) => createdAt,
  columns: [
    { title: 'ID', of: ({ id }) => id },
    { title: 'STATE', of: ({ state }) => state, colour: ({ state }) => statusColour(state) },
    { title: 'ITEMS', of: ({ items }) => items, side: 'right' },
    { title: 'RESULT', of: ({ byState }) => countsText(byState) },
    { title: 'AT STAKE', of: ({ money }) => moneysText(money), side: 'right' },
    { title: 'RATE', of: ({ ratePerSecond }) => `${ratePerSecond}/s`, side: 'right' },
    { title: 'BY', of: ({ createdBy }) => createdBy },
    { title: 'AGE', of: ({ createdAt }) => ageText(createdAt) },
    { title: 'CREATED', of: ({ createdAt }) => createdAt, isWide: true },
    { title: 'FINISHED', of: ({ finishedAt }) => finishedAt, isWide: true },
    { title: 'STOPPED BECAUSE', of: ({ stoppedBecause }) => stoppedBecause, isWide: true },
    { title: 'QUERY', of: ({ query }) => JSON.stringify(query), isWide: true },
    { title: 'REASON', of: ({ reason }) => reason },
  ],
  nameOf: ({ id }) => id,
};

const replayItemColumns: readonly Column<ReplayItemView>[] = [
  { title: 'INTENT', of: ({ intent }) => intent },
  { title: 'STATE', of: ({ state }) => state, colour: ({ state }) => statusColour(state) },
  { title: 'FORECAST', of: ({ forecast }) => forecast },
  { title: 'OVERTAKEN', of: ({ overtaken }) => overtaken, side: 'right' },
  { title: 'SENT', of: ({ sentAt }) => ageText(sentAt) },
  { title: 'DETAIL', of: ({ detail }) => detail },
];

/** What came of each item of one replay, in the order in which they are sent. */
export function replayItemsSource(
  replayId: string,
  { requests = false }: { readonly requests?: boolean },
): ListSource<ReplayItemView> {
  const extra: Query = requests ? { requests: 'true' } : {};
  return {
    path: `${replayPath(replayId)}/items`,
    keys: replayItemKeys,
    pages: (client, request) => pagedList(client, { ...request, query: { ...request.query, ...extra } }),
    since: ({ sentAt }) => sentAt ?? '',
    columns: replayItemColumns,
    nameOf: ({ intent }) => intent,
  };
}

/** Of each kind so many are shown. */
const failedShownMax = 20;
const failedItemStates = ['parked', 'refused', 'cancelled'] as const;

/** A replay with the first of its items that failed. */
interface ReplayStory extends ReplayView {
  readonly failedItems: readonly ReplayItemView[];
}

/** Null of a dry run. Who made it need not be who had it sent. */
function startText({ startedAt, startedBy, startReason }: ReplayView): string | null {
  return startedBy === null ? null : `${timeText(startedAt)} by ${startedBy}: ${startReason ?? ''}`;
}

/** What was most likely done already must not be sent again by a hasty word. */
function warningOf({ byForecast, state }: ReplayView): string | null {
  const { 'answered-yes': count = 0 } = byForecast;
  if (count === 0 || state !== 'planned') return null;
  return `the partner answered ${count} of them with a 2xx that proved nothing: read again first (loyaltyd reread)`;
}

/** What a replay says of itself, line by line. */
export function replayText(replay: ReplayView): string {
  const { id, state, stoppedBecause, query, reason, ratePerSecond, canary, force } = replay;
  return fields([
    ['Replay', id],
    ['State', stoppedBecause === null ? state : `${state}: ${stoppedBecause}`],
    ['Query', JSON.stringify(query)],
    ['Reason', reason],
    ['By', replay.createdBy],
    ['Created', timeText(replay.createdAt)],
    ['Started', startText(replay)],
    ['Finished', timeText(replay.finishedAt)],
    ['Rate', `${ratePerSecond}/s, ${canary ? 'with a canary' : 'no canary'}${force ? ', forced' : ''}`],
    ['At stake', moneysText(replay.money)],
    ['Items', replay.items],
    ['Forecast', countsText(replay.byForecast)],
    ['Warning', warningOf(replay)],
    ['Result', countsText(replay.byState)],
  ]);
}

function storyText(replay: ReplayStory, paint: Paint): string {
  const { id, failedItems } = replay;
  const table = failedItems.length === 0 ? '' : new Table(replayItemColumns, paint).rows(failedItems);
  return `${replayText(replay)}${section(`Failed (\`loyaltyd get replay-items ${id}\` has all)`, table)}`;
}

async function failedItems(client: ApiClient, replay: ReplayView): Promise<ReplayItemView[]> {
  const states = failedItemStates.filter((state) => (replay.byState[state] ?? 0) > 0);
  const pages = await Promise.all(
    states.map((state) => client.get(`${replayPath(replay.id)}/items`, { state, limit: String(failedShownMax) })),
  );
  return pages.flatMap((page) => (page as ReplayItemsPage).items);
}

/** A replay with what came of it. */
export function describedReplay(id: string): Described<ReplayStory> {
  return {
    load: async (client) => {
      const view = (await client.get(replayPath(id))) as ReplayView;
      return { ...view, failedItems: await failedItems(client, view) };
    },
    text: storyText,
    nameOf: (view) => view.id,
  };
}

export interface ReplayFlags extends ActFlags, ConsentFlags {
  readonly query: string;
  /** Epoch ms. */
  readonly since?: number;
  readonly dryRun?: boolean;
  readonly canary?: boolean;
  readonly force?: boolean;
  readonly id?: string;
  /** Per second. */
  readonly rate?: number;
  readonly wait: boolean;
}

interface ReplayRun {
  readonly client: ApiClient;
  /** The body of the request, without `dryRun`. */
  readonly request: Readonly<Record<string, unknown>> & { readonly id: string; readonly query: Query };
}

const finalStates = ['done', 'stopped', 'cancelled'];
/** Of a replay that has ended, `sent` is what stands still behind something that blocks its member. */
const failedStates = ['parked', 'refused', 'cancelled', 'skipped', 'sent'];
const times = ['from', 'to'];
const replayView = { text: replayText, nameOf: ({ id }: ReplayView) => id };

function queryOf({ query: text, since }: ReplayFlags): Query {
  const query = parseQuery(text, replayKeys);
  if (since === undefined) return query;
  if (query['from'] !== undefined) throw wrongUsage('--since and `from` of --query: one of them');
  return { ...query, from: new Date(since).toISOString() };
}

/** With an id of our own where none was given: the same request again starts nothing twice. */
function replayOf(flags: ReplayFlags, connection: Connection): ReplayRun {
  const { reason, rate, canary = true, force = false, id = randomUUID() } = flags;
  const optional = rate === undefined ? {} : { ratePerSecond: rate };
  return {
    client: new ApiClient(connection),
    request: { id, query: queryOf(flags), reason, canary, force, ...optional },
  };
}

async function create({ client, request }: ReplayRun, dryRun: boolean): Promise<ReplayView> {
  return (await client.post('/replays', { ...request, dryRun })) as ReplayView;
}

async function findReplay({ client, request }: ReplayRun): Promise<ReplayView | null> {
  try {
    return (await client.get(replayPath(request.id))) as ReplayView;
  } catch (error) {
    if (error instanceof ApiFailure && error.exitCode === exitNothingMatched) return null;
    throw error;
  }
}

/** Times come back in another spelling than they were asked in. */
function comparable(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { status: _status, ...rest } = query;
  return Object.fromEntries(
    Object.entries(rest).map(([key, value]) =>
      times.includes(key) && typeof value === 'string' ? [key, Date.parse(value)] : [key, value],
    ),
  );
}

/** An id stands for one selection: another one must not be taken for it, whatever the server does. */
async function refuseOtherQuery(replay: ReplayRun): Promise<void> {
  const before = await findReplay(replay);
  if (before === null) return;
  const [asked, stored] = [comparable(replay.request.query), comparable(before.query)];
  const keys = new Set([...Object.keys(asked), ...Object.keys(stored)]);
  const differing = [...keys].filter((key) => asked[key] !== stored[key]);
  if (differing.length === 0) return;
  const what = differing.join(', ');
  throw new CommandFailure(
    `there is a replay ${replay.request.id} already, and it selects something else: not the same ${what}`,
  );
}

/** What is to be expected, then the question. A plan that is not wanted is not left lying about. */
async function isWanted(terminal: Terminal, replay: ReplayRun, flags: ReplayFlags): Promise<boolean> {
  if (flags.yes === true) return true;
  const plan = await create(replay, true);
  if (plan.state !== 'planned') return true;
  for (const line of replayText(plan).trimEnd().split('\n')) terminal.report(line);
  if (await consents(terminal, flags, `Send ${plan.items} once more?`)) return true;
  await replay.client.post(`${replayPath(plan.id)}/cancel`, { reason: 'not confirmed on the command line' });
  terminal.report('loyaltyd: nothing was sent');
  return false;
}

function progressLine({ id, state, items, byState }: ReplayView): string {
  return `replay ${id}: ${state}, ${countsText(byState)} of ${items}`;
}

function exitCodeOf({ state, byState, stoppedBecause, id }: ReplayView, terminal: Terminal): number {
  if (state === 'stopped') {
    terminal.report(`loyaltyd: it stopped by itself: ${stoppedBecause ?? 'no reason was given'}`);
    terminal.report(`loyaltyd: mend the cause, then: loyaltyd resume replay ${id} --reason "…"`);
  }
  const isWhole = state === 'done' && countOf(byState, failedStates) === 0;
  return isWhole ? exitOk : exitSomeFailed;
}

async function followToEnd(terminal: Terminal, { client }: ReplayRun, begun: ReplayView): Promise<ReplayView> {
  return follow(terminal, begun, {
    load: async () => (await client.get(replayPath(begun.id))) as ReplayView,
    isFinished: ({ state }) => finalStates.includes(state),
    line: progressLine,
    pollLater: `loyaltyd describe replay ${begun.id}`,
  });
}

/** Plans it, begins it, or sees it through. */
async function carryOut(terminal: Terminal, replay: ReplayRun, flags: ReplayFlags): Promise<ReplayView> {
  const { dryRun = false, wait } = flags;
  const begun = await create(replay, dryRun);
  return dryRun || !wait ? begun : followToEnd(terminal, replay, begun);
}

/** Sends many parked intents once more, as a job of the server. @returns the exit code */
export async function replayIntents(terminal: Terminal, flags: ReplayFlags): Promise<number> {
  const isDry = flags.dryRun === true;
  if (!isDry) requireConsent(terminal, flags);
  const replay = replayOf(flags, resolveConnection(flags, terminal.env));
  if (flags.id !== undefined) await refuseOtherQuery(replay);
  if (!isDry && !(await isWanted(terminal, replay, flags))) return exitError;
  const item = await carryOut(terminal, replay, flags);
  await writeOne(terminal, replayView, { item, format: flags.output });
  if (item.state === 'planned') {
    terminal.report(`loyaltyd: to send it, the same with --id ${item.id} instead of --dry-run`);
  }
  return finalStates.includes(item.state) ? exitCodeOf(item, terminal) : exitOk;
}

/** Pauses, resumes or cancels a replay. What was sent stays sent. @returns the exit code */
export async function steerReplay(
  terminal: Terminal,
  { id, steering }: { readonly id: string; readonly steering: Steering },
  flags: ActFlags,
): Promise<number> {
  await act(terminal, { path: `${replayPath(id)}/${steering}`, view: replayView }, flags);
  return exitOk;
}
