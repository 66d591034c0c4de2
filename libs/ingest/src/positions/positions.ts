import type { SourcePartition } from '#intents';
import type { Clock, Database, Logger, Random } from '#platform';

import type { IngestMetrics } from '../ingest-metrics.js';
import { nap } from '../nap.js';
import type { FetchedBatch, SkippedRange, Source, TopicPartition } from '../source/source.js';
import { partitionKey } from '../source/source.js';
import { recordRetryMs } from '../step/ingest-limits.js';
import type { StartFrom } from './decide-placement.js';
import type { PlacedPartition } from './place-partitions.js';
import { placePartitions } from './place-partitions.js';

/** How often a partition stopped by a gap is looked at again: an operator may have accepted it. */
export const gapRecheckMs = 5_000;

export interface PositionsTools {
  readonly source: Source;
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
}

interface Place {
  readonly source: SourcePartition;
  /** The offset that the next fetch must ask for, at most. */
  expectedFrom: number;
  /** A fetch from here was seen to begin later although nothing was lost: what lies between was filtered out. */
  readonly provenHoleAt: number | null;
}

/**
 * Where each of our partitions stands. The truth is the stored offset in Postgres; what Kafka has committed for the
 * group is only a hint. On assignment every partition is placed anew: stored offset, seek, resume.
 */
export class Positions {
  private readonly places = new Map<string, Place>();
  private readonly gaps = new Set<string>();
  private assignment = new AbortController();

  constructor(
    private readonly tools: PositionsTools,
    private readonly startFrom: StartFrom,
  ) {}

  /** These partitions are ours, and paused; whatever was ours before is not. */
  assign(partitions: readonly TopicPartition[]): void {
    this.forgetAll();
    if (partitions.length > 0) void this.place(partitions, this.assignment.signal, new Map());
  }

  forgetAll(): void {
    this.assignment.abort();
    this.assignment = new AbortController();
    this.places.clear();
    this.gaps.clear();
  }

  /** Null while the partition is not placed: its batches must be dropped. */
  sourceOf(partition: TopicPartition): SourcePartition | null {
    return this.places.get(partitionKey(partition))?.source ?? null;
  }

  /** The offset at which the batch's fetch had to begin, or earlier; null while the partition is not placed. */
  expectedFrom(batch: FetchedBatch): number | null {
    const place = this.places.get(partitionKey(batch));
    if (place === undefined) return null;
    return place.provenHoleAt === place.expectedFrom
      ? Math.max(place.expectedFrom, batch.fetchedFrom)
      : place.expectedFrom;
  }

  progressed(partition: TopicPartition, nextOffset: number): void {
    const place = this.places.get(partitionKey(partition));
    if (place !== undefined) place.expectedFrom = Math.max(place.expectedFrom, nextOffset);
  }

  skipped(range: SkippedRange): void {
    const expected = this.places.get(partitionKey(range))?.expectedFrom;
    if (expected !== undefined && range.from <= expected) this.progressed(range, range.nextOffset);
  }

  /** The source was found to be elsewhere: place the partition again. */
  reposition(partition: TopicPartition): void {
    const key = partitionKey(partition);
    const place = this.places.get(key);
    if (place === undefined) return;
    this.places.delete(key);
    this.tools.source.pause(partition);
    void this.place([partition], this.assignment.signal, new Map([[key, place.expectedFrom]]));
  }

  /** Repeated until everything is placed or somebody else has the partitions. Never rejects. */
  private async place(
    partitions: readonly TopicPartition[],
    signal: AbortSignal,
    misplacedAt: ReadonlyMap<string, number>,
  ): Promise<void> {
    const { clock, random, logger } = this.tools;
    let left = partitions;
    for (let delayMs = 0; left.length > 0 && !signal.aborted;) {
      try {
        left = await this.placeOnce(left, signal, misplacedAt);
        delayMs = left.length > 0 ? gapRecheckMs : 0;
      } catch (error) {
        delayMs = recordRetryMs(delayMs, random.unit());
        logger.warn({ error, delayMs }, 'stored offsets cannot be read; partitions stay paused');
      }
      if (left.length > 0) await nap(clock, delayMs, signal);
    }
  }

  private async placeOnce(
    partitions: readonly TopicPartition[],
    signal: AbortSignal,
    misplacedAt: ReadonlyMap<string, number>,
  ): Promise<TopicPartition[]> {
    const placed = await placePartitions(this.tools, { partitions, startFrom: this.startFrom });
    if (signal.aborted) return [];
    const done = new Set<string>();
    for (const item of placed) {
      if (this.settle(item, misplacedAt.get(partitionKey(item)) ?? null)) done.add(partitionKey(item));
    }
    return partitions.filter((partition) => !done.has(partitionKey(partition)));
  }

  private settle({ topic, partition, clusterId, placement }: PlacedPartition, misplacedAt: number | null): boolean {
    const at = { topic, partition };
    if (placement.kind === 'gap') {
      this.reportGap(at, placement);
      return false;
    }
    const { incarnation, offset } = placement;
    const source = { clusterId, ...at, incarnation };
    const provenHoleAt = misplacedAt === offset ? offset : null;
    this.places.set(partitionKey(at), { source, expectedFrom: offset, provenHoleAt });
    this.gaps.delete(partitionKey(at));
    this.tools.source.seek(at, offset);
    this.tools.source.resume(at);
    this.tools.logger.info({ ...at, incarnation, offset }, 'partition placed at its stored offset');
    return true;
  }

  private reportGap(at: TopicPartition, gap: { readonly storedOffset: number; readonly low: number }): void {
    const key = partitionKey(at);
    if (this.gaps.has(key)) return;
    this.gaps.add(key);
    this.tools.metrics.sourceGap(at);
    this.tools.logger.error(
      { ...at, storedOffset: gap.storedOffset, oldestOffset: gap.low },
      'the topic no longer holds records that were not consumed yet; this partition stays stopped until `loyaltyd accept-gap`',
    );
  }
}
