import { useQuery } from '@tanstack/react-query';

import { apiQuery } from '../api/queries.js';
import { isMoving, type Job } from './job-kinds.js';

const movingMs = 3_000;
const restingMs = 30_000;

interface Jobs {
  /** The newest first. */
  readonly jobs: readonly Job[];
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly refetch: () => void;
}

/** The jobs of all kinds. */
export function useJobs(): Jobs {
  const { data, isPending, error, refetch } = useQuery({
    ...apiQuery('/jobs', {}),
    refetchInterval: ({ state }) => (state.data?.items.some(isMoving) === true ? movingMs : restingMs),
  });
  return { jobs: data?.items ?? [], isLoading: isPending, error, refetch: () => void refetch() };
}
