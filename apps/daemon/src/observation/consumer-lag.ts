import type { Ingest } from '#events/ingest';
import type { ProcessFigures, TopicLag } from '#intents';
import { sumLag } from '#intents';

type Position = ReturnType<Ingest['partitionPositions']>[number];

/** Where a partition ended when it was looked at, epoch ms. */
interface EndLook {
  readonly at: number;
  readonly end: number;
}

/** The end of a partition, as it was just read. */
export interface PartitionEnd {
  readonly topic: string;
  readonly partition: number;
  readonly end: number;
}

/** Ends that were read longer ago say nothing of now. */
export const endsAgeMsMax = 60_000;
/** Of one partition; of more every second one is kept: what is behind for long needs no seconds. */
export const looksMax = 240;

const keyOf = ({ topic, partition }: Pick<Position, 'topic' | 'partition'>): string => `${topic}/${partition}`;

/**
 * How far behind Kafka our partitions are. Whatever lies beyond an end that was read was produced after that: so the age of the
 * oldest record that is still to be read is known, without reading it.
 */
export class ConsumerLag {
  private looks = new Map<string, readonly EndLook[]>();
  private lookedAt = -Infinity;

  /** All partitions that are ours; the others are forgotten. @param now epoch ms, when it was asked for */
  looked(ends: readonly PartitionEnd[], now: number): void {
    this.lookedAt = now;
    this.looks = new Map(
      ends.map(({ end, ...partition }) => {
        const before = this.looks.get(keyOf(partition)) ?? [];
        return [keyOf(partition), thinned([...before, { at: now, end }])] as const;
      }),
    );
  }

  /** By topic. @returns null where no look succeeded lately, or one of them was not looked at yet. @param now epoch ms */
  figuresAt(now: number, positions: readonly Position[]): ProcessFigures['lag'] {
    if (now - this.lookedAt > endsAgeMsMax) return null;
    const lags = positions.map((position) => ({ topic: position.topic, lag: this.lagOf(position) }));
    const known = lags.flatMap(({ topic, lag }) => (lag === null ? [] : [{ topic, ...lag }]));
    // Without the others the sum would be too low.
    if (known.length < lags.length) return null;
    const byTopic = Map.groupBy(known, ({ topic }) => topic);
    return Object.fromEntries([...byTopic].map(([topic, own]) => [topic, sumLag(own)]));
  }

  private lagOf(position: Position): TopicLag | null {
    const key = keyOf(position);
    const looks = this.looks.get(key);
    const last = looks?.at(-1);
    if (looks === undefined || last === undefined) return null;
    const reached = looks.findLastIndex(({ end }) => end <= position.nextOffset);
    // A partition that is read to its end has no lag.
    if (reached > 0) this.looks.set(key, looks.slice(reached));
    const records = Math.max(0, last.end - position.nextOffset);
    return { records, oldestAt: records === 0 ? null : (looks[reached]?.at ?? null) };
  }
}

function thinned(looks: readonly EndLook[]): readonly EndLook[] {
  if (looks.length <= looksMax) return looks;
  return looks.filter((_look, index) => index % 2 === 0 || index === looks.length - 1);
}
