import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';

import { onSession, sessionState } from '../session/session-store.js';
import { ApiProblem } from './api-problem.js';
import type { Answer, PathOf, RequestParts } from './api-types.js';
import { apiGet } from './client.js';

const retriesMax = 2;
const staleTimeMs = 5_000;
const retryDelayMs = 1_000;

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
    },
    // What was asked for once is asked for once: whoever sees that it failed decides.
    mutations: { retry: false },
  },
});

// The next who signs in sees nothing of what the one before saw.
onSession(() => {
  if (sessionState().status === 'closed') queryClient.clear();
});

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
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}
