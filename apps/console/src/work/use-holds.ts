import { useQuery } from '@tanstack/react-query';

import { apiQuery } from '../api/queries.js';
import { holdsOf } from './job-holds.js';
import type { Job } from './job-kinds.js';
import type { Pause } from './pause-words.js';

/** The stream tells of pauses as they come and go. */
export function useHolds(job: Job): readonly Pause[] {
  const { data } = useQuery(apiQuery('/pauses', {}));
  return holdsOf(job, data?.items ?? []);
}
