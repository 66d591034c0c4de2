import type { LastRecord, StoredOffset } from '#intents';

import type { Watermarks } from '#kafka';

/** Where a topic begins that has never been consumed (`KAFKA_START_FROM`). */
export type StartFrom = { readonly kind: 'earliest' | 'latest' } | { readonly kind: 'time'; readonly timeMs: number };

/** Topics are numbered from here each time they are created anew. */
const firstIncarnation = 1;

export interface PlacementFacts {
  readonly stored: Pick<StoredOffset, 'incarnation' | 'nextOffset' | 'last'> | undefined;
  readonly watermarks: Watermarks;
  readonly startFrom: StartFrom;
  /** The first record at or after the time of `startFrom`, or after the topic was missed. */
  readonly offsetAt: number | undefined;
  /** Another partition of the topic has been consumed before: this one was added later, with nothing to skip. */
  readonly hasSiblings: boolean;
  /** We were there before the topic, or before we might see it: what was produced since is not skipped. */
  readonly wasMissed: boolean;
  /** This incarnation is over: another record lies where its last one had been. */
  readonly foreignIncarnation: number | null;
}

export type Placement =
  /** `proof`: the last record consumed, where it can still be fetched: it must be the one that is there now. */
  | {
      readonly kind: 'resume';
      readonly incarnation: number;
      readonly offset: number;
      readonly proof: LastRecord | null;
    }
  /** To be stored first. */
  | { readonly kind: 'begin'; readonly incarnation: number; readonly offset: number }
  /** Records between what we consumed and the oldest one left are gone: a person must look. */
  | { readonly kind: 'gap'; readonly incarnation: number; readonly storedOffset: number; readonly low: number };

/**
 * Where a partition goes on. The stored offset must have been read before the watermarks: another consumer may move
 * it forward meanwhile, and one beyond the high watermark means that the topic was created anew. A topic created anew that
 * has grown past the stored offset shows only by the record that we consumed last.
 */
export function decidePlacement(facts: PlacementFacts): Placement {
  const { stored, watermarks } = facts;
  if (stored === undefined) return { kind: 'begin', incarnation: firstIncarnation, offset: beginning(facts) };
  const { incarnation, nextOffset, last } = stored;
  const isOver = incarnation === facts.foreignIncarnation || nextOffset > watermarks.high;
  if (isOver) return { kind: 'begin', incarnation: incarnation + 1, offset: watermarks.low };
  if (nextOffset < watermarks.low) return { kind: 'gap', incarnation, storedOffset: nextOffset, low: watermarks.low };
  const proof = last !== null && last.offset >= watermarks.low ? last : null;
  return { kind: 'resume', incarnation, offset: nextOffset, proof };
}

function beginning(facts: PlacementFacts): number {
  const { startFrom, watermarks, hasSiblings, wasMissed } = facts;
  switch (startFrom.kind) {
    case 'earliest':
      return watermarks.low;
    case 'latest':
      if (hasSiblings) return watermarks.low;
      return wasMissed ? offsetInTime(facts) : watermarks.high;
    case 'time':
      return offsetInTime(facts);
    default:
      return startFrom satisfies never;
  }
}

function offsetInTime({ watermarks, offsetAt }: PlacementFacts): number {
  return Math.max(watermarks.low, Math.min(offsetAt ?? watermarks.high, watermarks.high));
}
