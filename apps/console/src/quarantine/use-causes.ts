import { useQuery, type UseQueryResult } from '@tanstack/react-query';

import type { Answer } from '../api/api-types.js';
import { apiQuery } from '../api/queries.js';
import { useMe } from '../session/session-store.js';
import type { ManyQuery } from './quarantine-filter.js';

/** Open records with one cause, as `GET /quarantine/causes` lists them. */
export type QuarantineCause = Answer<'/quarantine/causes'>['items'][number];

/** The stream does not tell of them. */
const freshMs = 15_000;

/** What is set aside, by why; not for a token that is limited to programs. */
export function useCauses(query: ManyQuery = {}): UseQueryResult<Answer<'/quarantine/causes'>> {
  const isWhole = useMe().limitedTo === null;
  return useQuery({ ...apiQuery('/quarantine/causes', { query }), enabled: isWhole, refetchInterval: freshMs });
}
