import { useQuery, type UseQueryResult } from '@tanstack/react-query';

import type { Answer } from '../api/api-types.js';
import { apiQuery } from '../api/queries.js';

/** The stream does not tell of them. */
const freshMs = 15_000;

export function useGroups(): UseQueryResult<Answer<'/groups'>> {
  return useQuery({ ...apiQuery('/groups', {}), refetchInterval: freshMs });
}
