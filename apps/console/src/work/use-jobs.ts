import { useQueries } from '@tanstack/react-query';

import { apiQuery } from '../api/queries.js';
import { useMe } from '../session/session-store.js';
import { isMoving, type Job, jobKinds, kindNames, whyHidden } from './job-kinds.js';

const movingMs = 3_000;
const restingMs = 30_000;

interface Jobs {
  /** The newest first. */
  readonly jobs: readonly Job[];
  readonly isLoading: boolean;
  /** The first thing that went wrong; what could be read is shown all the same. */
  readonly error: unknown;
  readonly refetch: () => void;
}

/** The jobs of all kinds as one list: the API has a list of each. */
export function useJobs(): Jobs {
  const me = useMe();
  // A token that is limited to some programs would be refused the others.
  const kinds = kindNames.filter((kind) => whyHidden(kind, me) === null);
  return useQueries({
    queries: kinds.map((kind) => ({
      ...apiQuery(jobKinds[kind].path, {}),
      refetchInterval: ({
        state: { data },
      }: {
        readonly state: { readonly data?: { readonly items: readonly Job[] } | undefined };
      }) => (data?.items.some(isMoving) === true ? movingMs : restingMs),
    })),
    combine: (results) => ({
      jobs: results
        .flatMap(({ data }) => data?.items ?? [])
        .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt)),
      isLoading: results.some(({ isPending }) => isPending),
      error: results.find(({ error }) => error !== null)?.error ?? null,
      refetch: () => results.forEach((result) => void result.refetch()),
    }),
  });
}
