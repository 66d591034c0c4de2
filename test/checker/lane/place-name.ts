import type { SourcePlace } from '../history.js';

/** One text per partition of a topic, as often as the topic was created. */
export function partitionName({ topic, incarnation, partition }: Omit<SourcePlace, 'offset'>): string {
  return `${topic}#${incarnation}/${partition}`;
}

/** One text per event of a source topic. */
export function placeName(place: SourcePlace): string {
  return place.ordinal === undefined ? recordName(place) : `${recordName(place)}.${place.ordinal}`;
}

/** One text per record, however many events it tells. */
export function recordName(place: SourcePlace): string {
  return `${partitionName(place)}@${place.offset}`;
}
