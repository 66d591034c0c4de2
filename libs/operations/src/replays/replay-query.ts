import { replayQuerySchema } from '#contracts';
import type { ReplayFilter } from '#intents';

import { readRequest, refuseRequest } from '../requests/read-request.js';
import { timeRange } from '../requests/time-range.js';

/** `key=value key=value` as an object; a value may hold anything but a space. */
function parsed(text: string): Record<string, string> {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const at = part.indexOf('=');
      return at < 1 ? refuseRequest('query: not of the form key=value') : [part.slice(0, at), part.slice(at + 1)];
    }),
  );
}

/** What a replay selects. @throws {ApiProblem} for unknown keys, and for what is not parked */
export function replayFilter(query: string | Readonly<Record<string, unknown>>): ReplayFilter {
  const sent = typeof query === 'string' ? parsed(query) : query;
  const { status: _status, from, to, ...rest } = readRequest(replayQuerySchema, sent);
  return { ...rest, ...timeRange({ from, to }) } as ReplayFilter;
}
