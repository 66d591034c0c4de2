import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';

import type { Job } from './job-kinds.js';

/** Goes to a job that was begun. */
export function useJobBegun(): (job: Job) => void {
  const navigate = useNavigate();
  const client = useQueryClient();
  return ({ kind, id }) => {
    void client.invalidateQueries({ queryKey: ['/jobs'] });
    void navigate({ to: '/jobs/$kind/$id', params: { kind, id } });
  };
}
