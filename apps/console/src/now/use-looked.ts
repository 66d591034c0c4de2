import { useQuery, type UseQueryResult } from '@tanstack/react-query';

import type { Answer } from '../api/api-types.js';
import { apiGet } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { useStreamState } from '../api/stream.js';
import { useMe } from '../session/session-store.js';
import { median } from './figures.js';
import type { Range, Series } from './over-time.js';

const withoutStreamMs = 10_000;
/** An examination asks Kafka, Postgres and the partner: seldom by itself, and whenever somebody wants it. */
const examinationMs = 300_000;
const latencyMs = 60_000;
const latencySample = 5;
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
    refetchInterval: examinationMs,
    staleTime: examinationMs,
    refetchOnWindowFocus: false,
  });
}

async function readLatencies(signal: AbortSignal): Promise<readonly number[]> {
  const { items } = await apiGet('/intents', { query: { status: 'delivered', limit: latencySample }, signal });
  const intents = await Promise.all(items.map(async ({ id }) => apiGet('/intents/{id}', { params: { id }, signal })));
  return intents.flatMap(({ attempts }) => attempts.at(-1)?.durationMs ?? []);
}

/** How long the partner took for what was delivered last, the middle of a few; null: nothing was. */
export function useLatency(): number | null {
  const { data } = useQuery({
    queryKey: ['/intents', 'latency'],
    queryFn: async ({ signal }) => readLatencies(signal),
    refetchInterval: latencyMs,
    staleTime: latencyMs,
    refetchOnWindowFocus: false,
  });
  return median(data ?? []);
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
