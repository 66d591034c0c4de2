import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';

import { onSession, sessionState, sessionToken } from '../session/session-store.js';
import { ApiProblem, noAnswer } from './api-problem.js';
import type { Answer, PathOf, RequestParts } from './api-types.js';
import { apiGet } from './client.js';
import { connectionAway, onConnection, watchConnection } from './connection.js';

const retriesMax = 2;
const staleTimeMs = 5_000;
const retryDelayMs = 1_000;
/** The daemon's answer to the question whether it is there may take so long, ms. */
const probeMsMax = 10_000;

const mayWork = (error: unknown): boolean =>
  !(error instanceof ApiProblem) || error.status === 0 || error.status >= 500 || error.status === 429;

/** As long as the daemon asks for, else longer each time. */
function delayMs(attempt: number, error: unknown): number {
  const asked = error instanceof ApiProblem ? error.retryAfterSeconds : null;
  return asked === null ? retryDelayMs * 2 ** attempt : asked * 1_000;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: staleTimeMs,
      retry: (failures, error) => failures < retriesMax && mayWork(error),
      retryDelay: delayMs,
      // A browser that takes itself for offline lets queries wait, and a list that waits looks like one without rows.
      networkMode: 'always',
      refetchOnReconnect: false,
    },
    // What was asked for once is asked for once, and now: whoever sees that it failed decides, and nothing is sent later.
    mutations: { retry: false, networkMode: 'always' },
  },
});

// The next who signs in sees nothing of what the one before saw.
onSession(() => {
  if (sessionState().status === 'closed') queryClient.clear();
});

watchConnection(async () => {
  const signal = AbortSignal.timeout(probeMsMax);
  const answer = sessionToken() === null ? apiGet('/console', { signal }) : apiGet('/stats', { signal });
  await answer.catch((error: unknown) => {
    throw signal.aborted ? noAnswer({ isRead: true }) : error;
  });
});

// What could not be read meanwhile, and what may have changed; of long lists only those of which nothing was read.
onConnection(() => {
  if (connectionAway() !== null) return;
  void queryClient.refetchQueries({ type: 'active', predicate: (query) => query.isStale() });
});

/** When the oldest and the newest of what is on the screen were read, epoch ms; null: nothing was. */
export function shownReadAt(): { readonly fromMs: number; readonly toMs: number } | null {
  const times = queryClient
    .getQueryCache()
    .findAll({ type: 'active', predicate: ({ state }) => state.data !== undefined })
    // What does not change while the daemon runs is never too old.
    .filter(({ queryKey: [path] }) => path !== '/contracts' && path !== '/console')
    .map(({ state }) => state.dataUpdatedAt);
  return times.length === 0 ? null : { fromMs: Math.min(...times), toMs: Math.max(...times) };
}

/** One answer of the API, for `useQuery`; its key is `[path, params, query]`. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- what it makes of the path is a type of Query's
export function apiQuery<P extends PathOf<'get'>>(path: P, parts: RequestParts<P, 'get'>) {
  return queryOptions({
    queryKey: [path, parts.params ?? null, parts.query ?? null] as const,
    queryFn: async ({ signal }): Promise<Answer<P>> => apiGet(path, { ...parts, signal }),
  });
}

interface Page {
  readonly items: readonly unknown[];
  readonly nextCursor: string | null;
}

/** The paths that answer a page and where the next one begins. */
export type PagedPath = {
  [P in PathOf<'get'>]: Answer<P> extends Page ? P : never;
}[PathOf<'get'>];

/** A list of the API page by page, for `useInfiniteQuery`; a page may be empty and not the last. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- what it makes of the path is a type of Query's
export function apiPages<P extends PagedPath>(path: P, parts: RequestParts<P, 'get'>) {
  return infiniteQueryOptions({
    queryKey: [path, parts.params ?? null, parts.query ?? null, 'pages'] as const,
    queryFn: async ({ signal, pageParam }): Promise<Answer<P> & Page> => {
      const query = { ...parts.query, ...(pageParam === null ? {} : { cursor: pageParam }) };
      const page = { ...parts, query } as unknown as RequestParts<P, 'get'>;
      return (await apiGet(path, { ...page, signal })) as Answer<P> & Page;
    },
    // To read a long list again page by page, because somebody looked away, costs more than it tells: `usePages` has `refresh`.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}
