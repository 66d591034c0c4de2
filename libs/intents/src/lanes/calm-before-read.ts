import type { PassBefore } from '#domain';
import type { Database } from '#platform';

import { findLastCalls } from '../events/find-last-calls.js';
import type { LoadedEventRow } from '../events/load-events.js';
import { toEvent } from '../events/stored-event.js';

interface Read {
  readonly laneId: number;
  readonly seq: number;
  readonly version: number;
  readonly readAt: number;
}

type EventsByPlace = ReadonlyMap<string, readonly LoadedEventRow[]>;

/** By place: how calm the lane was when the pass was read for an attempt in doubt (`ClaimedIntent.calmMs`). */
export async function calmBeforeReads(database: Database, history: EventsByPlace): Promise<Map<string, number>> {
  const reads = new Map([...history].flatMap(([place, events]) => readInDoubt(place, events)));
  const calls = await findLastCalls(database, [...reads.values()]);
  const lastCalls = new Map(calls.map(({ lane_id: laneId, seq, at }) => [`${laneId}:${seq}`, at]));
  return new Map(
    [...reads].flatMap(([place, { laneId, seq, readAt }]): [string, number][] => {
      const at = lastCalls.get(`${laneId}:${seq}`);
      return at === undefined ? [] : [[place, readAt - at]];
    }),
  );
}

function readInDoubt(place: string, rows: readonly LoadedEventRow[]): [string, Read][] {
  const begun = rows.findLast(({ type }) => type === 'AttemptBegun');
  if (begun === undefined || !rows.some(({ type, attempt }) => isUnknown(type) && attempt === begun.attempt)) return [];
  const event = toEvent(begun) as { readonly before?: PassBefore };
  const readAt = event.before?.readAt;
  if (readAt === undefined) return [];
  return [[place, { laneId: begun.lane_id, seq: begun.seq, version: begun.version, readAt }]];
}

function isUnknown(type: string): boolean {
  return type === 'AttemptUnknown';
}
