import { randomUUID } from 'node:crypto';

import type { ReplayView } from '#contracts';

import { CommandFailure, wrongUsage } from '../../command-line/command-failure.js';
import { exitError, exitNothingMatched, exitOk, exitSomeFailed } from '../../command-line/exit-codes.js';
import type { Connection } from '../connection/connection.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { replayPath, replayText } from '../describe/replay.js';
import { follow } from '../follow/follow.js';
import type { Query } from '../http/api-client.js';
import { ApiClient } from '../http/api-client.js';
import { ApiFailure } from '../http/api-failure.js';
import { countOf, countsText } from '../output/counts.js';
import { writeOne } from '../output/write-one.js';
import { parseQuery } from '../query/parse-query.js';
import { replayKeys } from '../query/query-keys.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ActFlags } from './act-on-intent.js';
import type { ConsentFlags } from './consent.js';
import { consents, requireConsent } from './consent.js';

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

interface Replay {
  readonly client: ApiClient;
  /** The body of the request, without `dryRun`. */
  readonly request: Readonly<Record<string, unknown>> & { readonly id: string; readonly query: Query };
}

const ended = ['done', 'stopped', 'cancelled'];
/** Of a replay that has ended, `sent` is what stands still behind something that blocks its member. */
const failedStates = ['parked', 'refused', 'cancelled', 'skipped', 'sent'];
const times = ['from', 'to'];
const view = { text: replayText, nameOf: ({ id }: ReplayView) => id };

function queryOf({ query: text, since }: ReplayFlags): Query {
  const query = parseQuery(text, replayKeys);
  if (since === undefined) return query;
  if (query['from'] !== undefined) throw wrongUsage('--since and `from` of --query: one of them');
  return { ...query, from: new Date(since).toISOString() };
}

/** With an id of our own where none was given: the same request again starts nothing twice. */
function replayOf(flags: ReplayFlags, connection: Connection): Replay {
  const { reason, rate, canary = true, force = false, id = randomUUID() } = flags;
  const optional = rate === undefined ? {} : { ratePerSecond: rate };
  return {
    client: new ApiClient(connection),
    request: { id, query: queryOf(flags), reason, canary, force, ...optional },
  };
}

async function create({ client, request }: Replay, dryRun: boolean): Promise<ReplayView> {
  return (await client.post('/replays', { ...request, dryRun })) as ReplayView;
}

async function known({ client, request }: Replay): Promise<ReplayView | null> {
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
async function refuseOtherQuery(replay: Replay): Promise<void> {
  const before = await known(replay);
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
async function isWanted(terminal: Terminal, replay: Replay, flags: ReplayFlags): Promise<boolean> {
  if (flags.yes === true) return true;
  const plan = await create(replay, true);
  if (plan.state !== 'planned') return true;
  for (const line of replayText(plan).trimEnd().split('\n')) terminal.tell(line);
  if (await consents(terminal, flags, `Send ${plan.items} once more?`)) return true;
  await replay.client.post(`${replayPath(plan.id)}/cancel`, { reason: 'not confirmed on the command line' });
  terminal.tell('loyaltyd: nothing was sent');
  return false;
}

function progressLine({ id, state, items, byState }: ReplayView): string {
  return `replay ${id}: ${state}, ${countsText(byState)} of ${items}`;
}

function exitCodeOf({ state, byState, stoppedBecause, id }: ReplayView, terminal: Terminal): number {
  if (state === 'stopped') {
    terminal.tell(`loyaltyd: it stopped by itself: ${stoppedBecause ?? 'no reason was given'}`);
    terminal.tell(`loyaltyd: mend the cause, then: loyaltyd resume replay ${id} --reason "…"`);
  }
  const isWhole = state === 'done' && countOf(byState, failedStates) === 0;
  return isWhole ? exitOk : exitSomeFailed;
}

async function toItsEnd(terminal: Terminal, { client }: Replay, begun: ReplayView): Promise<ReplayView> {
  return follow(terminal, begun, {
    load: async () => (await client.get(replayPath(begun.id))) as ReplayView,
    isFinished: ({ state }) => ended.includes(state),
    line: progressLine,
    lookLater: `loyaltyd describe replay ${begun.id}`,
  });
}

/** Plans it, begins it, or sees it through. */
async function carriedOut(terminal: Terminal, replay: Replay, flags: ReplayFlags): Promise<ReplayView> {
  const { dryRun = false, wait } = flags;
  const begun = await create(replay, dryRun);
  return dryRun || !wait ? begun : toItsEnd(terminal, replay, begun);
}

/** Sends many parked intents once more, as a job of the server. @returns the exit code */
export async function replayIntents(terminal: Terminal, flags: ReplayFlags): Promise<number> {
  const isDry = flags.dryRun === true;
  if (!isDry) requireConsent(terminal, flags);
  const replay = replayOf(flags, resolveConnection(flags, terminal.env));
  if (flags.id !== undefined) await refuseOtherQuery(replay);
  if (!isDry && !(await isWanted(terminal, replay, flags))) return exitError;
  const item = await carriedOut(terminal, replay, flags);
  await writeOne(terminal, view, { item, format: flags.output });
  if (item.state === 'planned') {
    terminal.tell(`loyaltyd: to send it, the same with --id ${item.id} instead of --dry-run`);
  }
  return ended.includes(item.state) ? exitCodeOf(item, terminal) : exitOk;
}
