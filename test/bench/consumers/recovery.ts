import type { RecordedLook } from './recorded-look.js';

/** The events of one partition: from `first` on, before `next`. */
export interface OffsetSpan {
  readonly first: number;
  readonly next: number;
}

const msPerMinute = 60_000;

const recordedOf = ({ nextOffsets }: RecordedLook, spans: readonly OffsetSpan[]): number =>
  spans.reduce((sum, { first, next }, partition) => {
    return sum + Math.max(0, Math.min(next, nextOffsets[partition] ?? 0) - first);
  }, 0);

const sizeOf = (spans: readonly OffsetSpan[]): number => spans.reduce((sum, { first, next }) => sum + next - first, 0);

export const areRecorded = (look: RecordedLook | undefined, spans: readonly OffsetSpan[]): boolean =>
  look !== undefined && recordedOf(look, spans) === sizeOf(spans);

/**
 * Events recorded in a minute, from the first look that saw some of them to the first that saw all: what was recorded
 * before it is not counted, and neither is the wait until a consumer asks again. NaN where not all were seen.
 */
export const recoveredPerMinute = (looks: readonly RecordedLook[], spans: readonly OffsetSpan[]): number => {
  const begin = looks.find((look) => recordedOf(look, spans) > 0);
  const end = looks.find((look) => areRecorded(look, spans));
  if (begin === undefined || end === undefined) return NaN;
  return (msPerMinute * (sizeOf(spans) - recordedOf(begin, spans))) / (end.at - begin.at);
};
