import type { PassBefore } from '#domain';
import type { Database } from '#platform';

import type { EventPlace } from '../events/find-last-calls.js';
import { findLastCalls } from '../events/find-last-calls.js';
import type { LoadedEventRow } from '../events/load-events.js';
import { toEvent } from '../events/stored-event.js';

type Read = EventPlace & { readonly readAt: number };

/** By place: how calm the lane was when the pass was read for an attempt in doubt (`ClaimedIntent.calmMs`). */
export async function calmBeforeReads(
  database: Database,
  history: ReadonlyMap<string, readonly LoadedEventRow[]>,
): Promise<Map<string, number>> {
  const reads = [...history.values()].flatMap((events) => readInDoubt(events) ?? []);
  const calls = await findLastCalls(database, reads);
  const lastCalls = new Map(calls.map((call) => [placeKey(call.lane_id, call.seq), call.at]));
  const calm = new Map<string, number>();
  for (const { laneId, seq, readAt } of reads) {
    const place = placeKey(laneId, seq);
    const at = lastCalls.get(place);
    if (at !== undefined) calm.set(place, readAt - at);
  }
  return calm;
}

/** An intent's place as text, for maps. */
export function placeKey(laneId: number, seq: number | null): string {
  return `${laneId}:${seq ?? 0}`;
}

function readInDoubt(events: readonly LoadedEventRow[]): Read | null {
  const begun = events.findLast(({ type }) => type === 'AttemptBegun');
  if (begun === undefined) return null;
  const isInDoubt = events.some(({ type, attempt }) => type === 'AttemptUnknown' && attempt === begun.attempt);
  const { readAt } = (toEvent(begun) as { readonly before?: PassBefore }).before ?? {};
  if (!isInDoubt || readAt === undefined) return null;
  return { laneId: begun.lane_id, seq: begun.seq, version: begun.version, readAt };
}
