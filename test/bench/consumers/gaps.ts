import { median } from '../statistics.js';
import type { ProducedEvent } from './light-traffic.js';
import type { RecordedLook } from './recorded-look.js';
import { recordedAt } from './recorded-look.js';

/** What came of events, as seen from outside: when each was produced, and when Postgres was first seen to have it. */
export interface Evidence {
  readonly events: readonly ProducedEvent[];
  readonly looks: readonly RecordedLook[];
}

/** From an event's production until it was seen to be recorded; of those that were. */
const latencies = ({ events, looks }: Evidence): number[] =>
  events.map((event) => recordedAt(looks, event) - event.at).filter((latency) => !Number.isNaN(latency));

/** The latency while nothing happens. */
export const ordinaryMs = (evidence: Evidence): number => median(latencies(evidence));

/** Whether so many of the events of every partition are recorded. */
export const isEveryPartitionAt = ({ events, looks }: Evidence, partitions: number, wanted: number): boolean => {
  const counts = new Map<number, number>();
  for (const event of events) {
    if (Number.isNaN(recordedAt(looks, event))) continue;
    counts.set(event.partition, (counts.get(event.partition) ?? 0) + 1);
  }
  return counts.size === partitions && Math.min(...counts.values()) >= wanted;
};

/**
 * How long each partition was not consumed, in the order of partitions: its longest latency minus the ordinary one. An
 * event counts that was recorded after `since`, whenever it was produced: it may have waited when it began.
 */
export const gapsMs = (
  { events, looks }: Evidence,
  { partitions, since, ordinary }: { readonly partitions: number; readonly since: number; readonly ordinary: number },
): number[] => {
  const longest = new Map<number, number>();
  for (const event of events) {
    const at = recordedAt(looks, event);
    if (at > since) longest.set(event.partition, Math.max(longest.get(event.partition) ?? 0, at - event.at));
  }
  return Array.from({ length: partitions }, (_, partition) => (longest.get(partition) ?? NaN) - ordinary);
};
