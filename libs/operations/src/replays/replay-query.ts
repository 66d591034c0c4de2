import { replayQuerySchema } from '#contracts';
import type { ReplayFilter } from '#intents';

import { intentNames } from '../intents/intent-lookup.js';
import { readRequest, refuseRequest } from '../requests/read-request.js';
import { timeRange } from '../requests/time-range.js';

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
