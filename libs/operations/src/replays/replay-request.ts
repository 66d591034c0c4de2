import { replayQuerySchema } from '#contracts';
import type { AuditContext } from '#intents';
import type { Database } from '#platform';

import type { Actor } from '../access/operator.js';
import { actingRole, maySee, requireForce, requireRoleOf } from '../access/operator.js';
import { intentNames } from '../intents/intent-lookup.js';
import { ApiProblem } from '../problems/api-problem.js';
import { readRequest, refuseRequest, timeRange } from '../requests/read-request.js';
import type { Replay, ReplayFilter, ReplayState } from './replay-store.js';
import { findReplay, replayItemsMax, startReplay } from './replay-store.js';

/** As the command line reads it: a value with spaces stands in quotes, in which a backslash takes the next character as it is. */
const pair = /\s*([^\s=]+)=("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s"']\S*)(?=\s|$)/y;

function unquoted(text: string): string {
  return /^["']/.test(text) ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}

/** `key=value key="a value"` as an object, each key once. */
function parsed(text: string): Record<string, string> {
  const query = new Map<string, string>();
  const end = text.trimEnd().length;
  for (pair.lastIndex = 0; pair.lastIndex < end;) {
    const [, key, value] = pair.exec(text) ?? [];
    if (key === undefined || value === undefined) return refuseRequest('query: not of the form key=value');
    if (query.has(key)) return refuseRequest('query: a key is there twice');
    query.set(key, unquoted(value));
  }
  return Object.fromEntries(query);
}

/** As `GET /intents` takes it: an intent's id, a member's or a purchase's. */
function searched(q: string | undefined): Pick<ReplayFilter, 'program' | 'memberId' | 'seq' | 'q'> {
  if (q === undefined) return {};
  return intentNames(q)[0] ?? { q };
}

/** What a replay selects. @throws {ApiProblem} for unknown keys, and for what is not parked */
export function replayFilter(query: string | Readonly<Record<string, unknown>>): ReplayFilter {
  const sent = typeof query === 'string' ? parsed(query) : query;
  const { status: _status, q, from, to, ...rest } = readRequest(replayQuerySchema, sent);
  return { ...rest, ...timeRange({ from, to }), ...searched(q) } as ReplayFilter;
}

/** What is frozen with a replay: whoever asks for something else means another one. */
interface AskedSelection {
  readonly query: ReplayFilter;
  readonly isForced: boolean;
}

/** How it is sent. Null: as it is. */
export interface RequestedPace {
  readonly ratePerSecond: number | null;
  readonly isCanary: boolean | null;
}

/** Which keys of the query differ, and whether `force` does. Values of a query may be personal: none are told. Pure. */
export function selectionDifferences(
  { query, isForced }: Pick<Replay, 'query' | 'isForced'>,
  asked: AskedSelection,
): string[] {
  const keys = new Set([...Object.keys(query), ...Object.keys(asked.query)]) as ReadonlySet<keyof ReplayFilter>;
  const differing = [...keys].filter((key) => query[key] !== asked.query[key]).map((key) => `query.${key}`);
  return isForced === asked.isForced ? differing : [...differing, `force (${isForced} there)`];
}

/** Pure. */
export function paceDifferences(
  { ratePerSecond, isCanary }: Pick<Replay, 'ratePerSecond' | 'isCanary'>,
  asked: RequestedPace,
): string[] {
  const differing: string[] = [];
  if ((asked.ratePerSecond ?? ratePerSecond) !== ratePerSecond) {
    differing.push(`ratePerSecond (${ratePerSecond} there)`);
  }
  if ((asked.isCanary ?? isCanary) !== isCanary) differing.push(`canary (${isCanary} there)`);
  return differing;
}

/** A request for a replay whose id is known. */
interface AskedAgain {
  /** As it was found. */
  readonly replay: Replay;
  readonly selection: AskedSelection;
  readonly pace: RequestedPace;
  readonly isDryRun: boolean;
  readonly actor: Actor;
  readonly audit: AuditContext;
}

/** @throws {ApiProblem} where there are differences */
function refuseDifferences({ replayId }: Replay, differences: readonly string[]): void {
  if (differences.length > 0) throw asksForAnother(replayId, differences);
}

/** Starts a dry run; whoever asks for what runs already changes nothing. */
async function start(database: Database, { replay, pace, actor, audit }: AskedAgain): Promise<Replay> {
  const { replayId } = replay;
  const started = await startReplay(database, { replayId, ...pace, audit, role: actingRole(actor) });
  if (started !== null) return started;
  const found = await findReplay(database, replayId);
  if (found === null) throw noSuchReplay();
  if (found.state === 'planned') requireRoleOf(found, actor);
  // Nobody ever had it sent: to say that it is done would be wrong.
  if (found.state === 'cancelled' && found.startedAt === null) throw wrongState(found.state);
  refuseDifferences(found, paceDifferences(found, pace));
  return found;
}

/** Whether who asks may know of it: its selection names a program of theirs, and so holds nothing else. */
export function isKnownTo({ query }: Replay, { programs }: Actor): boolean {
  return maySee(programs, query.program ?? null);
}

/**
 * The same request once more finds what the first one made; a dry run is started by it, at the pace that is asked for now.
 * @throws {ApiProblem} where something else is asked for than what the id stands for
 */
export async function askAgain(database: Database, asked: AskedAgain): Promise<Replay> {
  const { replay, selection, isDryRun, actor } = asked;
  if (!isKnownTo(replay, actor)) throw idTaken();
  if (!isDryRun) requireForce(replay.isForced, actor);
  refuseDifferences(replay, selectionDifferences(replay, selection));
  return isDryRun ? replay : start(database, asked);
}

export function noSuchReplay(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-replay', title: 'There is no such replay' });
}

export function nothingToReplay(): ApiProblem {
  const detail = 'Nothing that is parked fits the query.';
  return new ApiProblem({ status: 422, code: 'nothing-to-replay', title: 'There is nothing to replay', detail });
}

export function tooMuchToReplay(): ApiProblem {
  const detail = `More than ${replayItemsMax} intents fit the query. Narrow it down.`;
  return new ApiProblem({ status: 422, code: 'too-much-to-replay', title: 'That is too much at once', detail });
}

export function wrongState(state: ReplayState): ApiProblem {
  const title = 'The replay does not stand so that this could be done';
  return new ApiProblem({ status: 409, code: 'replay-state', title, detail: `It is ${state}.` });
}

/** Of a replay that who asks may not know of. */
function idTaken(): ApiProblem {
  return new ApiProblem({ status: 409, code: 'id-taken', title: 'The id is taken', detail: 'Take another one.' });
}

/** @param differences what differs, without values that may be personal */
function asksForAnother(replayId: string, differences: readonly string[]): ApiProblem {
  const title = 'There is a replay of that id already, and it is another one';
  const detail = `${replayId} differs in ${differences.join(', ')}. Ask for what it is, or take another id.`;
  return new ApiProblem({ status: 409, code: 'replay-differs', title, detail });
}
