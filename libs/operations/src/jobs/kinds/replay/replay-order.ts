import { REPLAY_DEFAULTS, replayQuerySchema } from '#contracts';

import type { Actor } from '../../../access/operator.js';
import { programMeant, requireForce } from '../../../access/operator.js';
import { intentNames } from '../../../intents/intent-lookup.js';
import type { JobOrder, RequestOf } from '../../job-order.js';
import { ApiProblem } from '../../../problems/api-problem.js';
import { readRequest, refuseRequest, timeRange } from '../../../requests/read-request.js';
import type { ForecastTools, ReplayFilter } from './replay-items.js';
import { freezeReplay, NotFrozenError, replayItemsMax } from './replay-items.js';

/** As the command line reads it: a value with spaces stands in quotes, in which a backslash takes the next character as it is. */
const pair = /\s*([^\s=]+)=("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s"']\S*)(?=\s|$)/y;

function unquoted(text: string): string {
  return /^["']/.test(text) ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}

/** `key=value key="a value"` as an object, each key once. @throws {ApiProblem} */
export function parsedQuery(text: string): Record<string, string> {
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
  const sent = typeof query === 'string' ? parsedQuery(query) : query;
  const { status: _status, q, from, to, ...rest } = readRequest(replayQuerySchema, sent);
  return { ...rest, ...timeRange({ from, to }), ...searched(q) } as ReplayFilter;
}

/** For the audit, which an erasure cannot reach: what else was asked for stands there, and the job that was. */
function withoutMember({ memberId: _memberId, q: _q, ...query }: ReplayFilter): object {
  return query;
}

interface Selected {
  readonly program: string | null;
  readonly query: ReplayFilter;
  /** What of it the audit shows. */
  readonly shown: object;
}

/** @throws {ApiProblem} where who asks may not know of the program that it names, or would have to name one */
export function selectedBy(sent: RequestOf<'replay'>['query'], actor: Actor): Selected {
  const asked = replayFilter(sent);
  const program = programMeant(actor.programs, asked.program) ?? null;
  const query = program === null ? asked : { ...asked, program };
  return { program, query, shown: withoutMember(query) };
}

/** @throws {ApiProblem} where who asks may not know of the program that it names, would have to name one, or may not force */
export function replayOrder(body: RequestOf<'replay'>, actor: Actor, tools: ForecastTools): JobOrder {
  const { force, dryRun: isPlan } = body;
  requireForce(force, actor);
  const { program, query, shown } = selectedBy(body.query, actor);
  const { ratePerSecond = REPLAY_DEFAULTS.ratePerSecond, canary: isCanary = REPLAY_DEFAULTS.canary } = body;
  return {
    ...{ program, request: { query, force }, detail: { query: shown } },
    ...{ isPlan, pace: { ratePerSecond, isCanary } },
    freeze: async (session, jobId) => freezeReplay(session, { jobId, query }, tools).catch(refuseUnfrozen),
  };
}

/** @throws {ApiProblem} */
export function refuseUnfrozen(error: unknown): never {
  if (!(error instanceof NotFrozenError)) throw error;
  throw error.kind === 'empty' ? nothingToReplay() : tooMuchToReplay();
}

function nothingToReplay(): ApiProblem {
  const detail = 'Nothing that is parked fits the query.';
  return new ApiProblem({ status: 422, code: 'nothing-to-replay', title: 'There is nothing to replay', detail });
}

function tooMuchToReplay(): ApiProblem {
  const detail = `More intents fit the query than one job takes (${replayItemsMax}; fewer where each is looked into). Narrow it down.`;
  return new ApiProblem({ status: 422, code: 'too-much-to-replay', title: 'That is too much at once', detail });
}
