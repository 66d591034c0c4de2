import { useQueries } from '@tanstack/react-query';

import { ApiProblem } from '../api/api-problem.js';
import { apiQuery } from '../api/queries.js';
import { isMoving, type Job, jobKinds, kindNames } from './job-kinds.js';

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

/** Provisionings are of several programs: a token that is limited to some is refused them. */
const isLimited = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'limited-to-programs';

/** The jobs of all kinds as one list: the API has a list of each. */
export function useJobs(): Jobs {
  return useQueries({
    queries: kindNames.map((kind) => ({
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
      error: results.find(({ error }) => error !== null && !isLimited(error))?.error ?? null,
      refetch: () => results.forEach((result) => void result.refetch()),
    }),
  });
}
