import type { SourcePlace } from '../history.js';

/** One text per partition of a topic, as often as the topic was created. */
export function partitionName({ topic, incarnation, partition }: Omit<SourcePlace, 'offset'>): string {
  return `${topic}#${incarnation}/${partition}`;
}

/** One text per record of a source topic. */
export function placeName(place: SourcePlace): string {
  return `${partitionName(place)}@${place.offset}`;
}
