import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';

import type { Answer, Query } from '../api/api-types.js';
import { apiQuery } from '../api/queries.js';
import { onAction } from '../api/stream.js';

/** The stream tells it sooner; where a proxy holds that back, this does. */
const lookMs = 10_000;

/** What waits, or waited, for a second person, as it changes. @param isAsked false: nothing can wait */
export function useApprovals(
  query: Query<'/approvals'>,
  { isAsked = true } = {},
): UseQueryResult<Answer<'/approvals'>> {
  const client = useQueryClient();
  useEffect(
    () =>
      onAction(({ action }) => {
        if (action.startsWith('approval.')) void client.invalidateQueries({ queryKey: ['/approvals'] });
      }),
    [client],
  );
  return useQuery({ ...apiQuery('/approvals', { query }), enabled: isAsked, refetchInterval: lookMs });
}
