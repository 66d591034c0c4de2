import { REPLAY_DEFAULTS, replayQuerySchema } from '#contracts';
import type { AuditContext } from '#intents';
import type { Database } from '#platform';

import type { Actor } from '../access/operator.js';
import { actingRole, maySee, requireForce, requireRoleOf } from '../access/operator.js';
import { intentNames } from '../intents/intent-lookup.js';
import { ApiProblem } from '../problems/api-problem.js';
import { readRequest, refuseRequest, timeRange } from '../requests/read-request.js';
import type { Job, JobPace, JobState } from '../jobs/job-store.js';
import { createJob, findJob, JobIdTakenError, startJob } from '../jobs/job-store.js';
import type { ReplayFilter } from './replay-items.js';
import { freezeReplay, NotFrozenError, replayItemsMax } from './replay-items.js';
import { isForced as wasForced } from './replay-work.js';

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
export function selectionDifferences({ query, isForced }: AskedSelection, asked: AskedSelection): string[] {
  const keys = new Set([...Object.keys(query), ...Object.keys(asked.query)]) as ReadonlySet<keyof ReplayFilter>;
  const differing = [...keys].filter((key) => query[key] !== asked.query[key]).map((key) => `query.${key}`);
  return isForced === asked.isForced ? differing : [...differing, `force (${isForced} there)`];
}

/** Pure. */
export function paceDifferences({ ratePerSecond, isCanary }: JobPace, asked: RequestedPace): string[] {
  const differing: string[] = [];
  if ((asked.ratePerSecond ?? ratePerSecond) !== ratePerSecond) {
    differing.push(`ratePerSecond (${ratePerSecond} there)`);
  }
  if ((asked.isCanary ?? isCanary) !== isCanary) differing.push(`canary (${isCanary} there)`);
  return differing;
}

/** What a replay was frozen by. */
export function selectionOf({ request, ...job }: Pick<Job, 'request'>): AskedSelection {
  return { query: request['query'] as ReplayFilter, isForced: wasForced({ request, ...job }) };
}

export interface AskedReplay {
  readonly jobId: string;
  readonly selection: AskedSelection;
  readonly pace: RequestedPace;
  readonly isDryRun: boolean;
  readonly actor: Actor;
  readonly audit: AuditContext;
}

/** @throws {ApiProblem} where there are differences */
function refuseDifferences({ jobId }: Job, differences: readonly string[]): void {
  if (differences.length > 0) throw asksForAnother(jobId, differences);
}

/** Freezes what is asked for; with a known id nothing is changed. @throws {ApiProblem} */
async function freeze(database: Database, asked: AskedReplay): Promise<Job | null> {
  const { jobId, selection, pace, isDryRun, actor, audit } = asked;
  const { query, isForced } = selection;
  try {
    return await createJob(database, {
      ...{ jobId, kind: 'replay', program: query.program ?? null, request: { query, force: isForced } },
      ...{ audit, role: actingRole(actor), isPlan: isDryRun, detail: { query } },
      pace: {
        ratePerSecond: pace.ratePerSecond ?? REPLAY_DEFAULTS.ratePerSecond,
        isCanary: pace.isCanary ?? REPLAY_DEFAULTS.canary,
      },
      freeze: (session) => freezeReplay(session, jobId, query),
    });
  } catch (error) {
    if (error instanceof NotFrozenError) throw error.kind === 'empty' ? nothingToReplay() : tooMuchToReplay();
    if (error instanceof JobIdTakenError) return findJob(database, jobId);
    throw error;
  }
}

/** Starts a dry run; whoever asks for what runs already changes nothing. */
async function start(database: Database, { jobId, pace, actor, audit }: AskedReplay): Promise<Job> {
  const started = await startJob(database, { jobId, ...pace, audit, role: actingRole(actor) });
  if (started !== null) return started;
  const found = await findJob(database, jobId);
  if (found === null) throw noSuchReplay();
  if (found.state === 'planned') requireRoleOf(found, actor);
  // Nobody ever had it sent: to say that it is done would be wrong.
  if (found.state === 'cancelled' && found.startedAt === null) throw wrongState(found.state);
  refuseDifferences(found, paceDifferences(found, pace));
  return found;
}

/** Whether who asks may know of it: its selection names a program of theirs, and so holds nothing else. */
export function isKnownTo({ kind, program }: Job, { programs }: Actor): boolean {
  return kind === 'replay' && maySee(programs, program);
}

/**
 * Makes a replay. The same request once more finds what the first one made; a dry run is started by it, at the pace that is
 * asked for now.
 * @throws {ApiProblem} where something else is asked for than what the id stands for
 */
export async function askForReplay(database: Database, asked: AskedReplay): Promise<Job> {
  const { selection, isDryRun, actor } = asked;
  const job = await freeze(database, asked);
  if (job === null || !isKnownTo(job, actor)) throw idTaken();
  const known = selectionOf(job);
  if (!isDryRun) requireForce(known.isForced, actor);
  refuseDifferences(job, selectionDifferences(known, selection));
  return isDryRun ? job : start(database, asked);
}

export function noSuchReplay(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-replay', title: 'There is no such replay' });
}

function nothingToReplay(): ApiProblem {
  const detail = 'Nothing that is parked fits the query.';
  return new ApiProblem({ status: 422, code: 'nothing-to-replay', title: 'There is nothing to replay', detail });
}

function tooMuchToReplay(): ApiProblem {
  const detail = `More than ${replayItemsMax} intents fit the query. Narrow it down.`;
  return new ApiProblem({ status: 422, code: 'too-much-to-replay', title: 'That is too much at once', detail });
}

export function wrongState(state: JobState): ApiProblem {
  const title = 'The replay does not stand so that this could be done';
  return new ApiProblem({ status: 409, code: 'replay-state', title, detail: `It is ${state}.` });
}

/** Of a replay that who asks may not know of. */
function idTaken(): ApiProblem {
  return new ApiProblem({ status: 409, code: 'id-taken', title: 'The id is taken', detail: 'Take another one.' });
}

/** @param differences what differs, without values that may be personal */
function asksForAnother(jobId: string, differences: readonly string[]): ApiProblem {
  const title = 'There is a replay of that id already, and it is another one';
  const detail = `${jobId} differs in ${differences.join(', ')}. Ask for what it is, or take another id.`;
  return new ApiProblem({ status: 409, code: 'replay-differs', title, detail });
}
