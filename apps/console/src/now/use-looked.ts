import { useQuery, type UseQueryResult } from '@tanstack/react-query';

import type { Answer } from '../api/api-types.js';
import { apiGet } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { useStreamState } from '../api/stream.js';
import { useMe } from '../session/session-store.js';
import type { Range, Series } from './over-time.js';

const withoutStreamMs = 10_000;
/** An examination asks Kafka, Postgres and the partner: seldom by itself, and whenever somebody wants it. */
const examinationMs = 300_000;
/** What failed is looked at again soon: a fault that has passed must not be shown as one for minutes. */
const failedExaminationMs = 30_000;
const seriesMsMin = 10_000;

/** The stream keeps it fresh; without a stream it is asked for. */
export function useStats(): UseQueryResult<Answer<'/stats'>> {
  const isLive = useStreamState() === 'live';
  return useQuery({ ...apiQuery('/stats', {}), refetchInterval: isLive ? false : withoutStreamMs });
}

/** What the daemon finds around itself; not for a token that is limited to programs. */
export function useExamination(): UseQueryResult<Answer<'/doctor'>> {
  const isWhole = useMe().limitedTo === null;
  return useQuery({
    ...apiQuery('/doctor', {}),
    enabled: isWhole,
    refetchInterval: ({ state }) => (state.data?.ok === false ? failedExaminationMs : examinationMs),
    staleTime: examinationMs,
    refetchOnWindowFocus: false,
  });
}

/** Up to now, whenever it is asked: its key names the range alone. A point comes within seconds of the end of its minute. */
export function useSeries({ id, ms }: Range, program?: string): UseQueryResult<Series> {
  return useQuery({
    queryKey: ['/series', id, program ?? null],
    queryFn: async ({ signal }): Promise<Series> => {
      const to = Date.now();
      const span = { from: new Date(to - ms).toISOString(), to: new Date(to).toISOString() };
      return apiGet('/series', { query: { ...span, ...(program === undefined ? {} : { program }) }, signal });
    },
    refetchInterval: ({ state }) => Math.max(seriesMsMin, ((state.data?.stepSeconds ?? 0) * 1_000) / 4),
    placeholderData: (before) => before,
  });
}
