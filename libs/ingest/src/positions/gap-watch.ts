import type { SourcePartition } from '#intents';
import { holdAtGap } from '#intents';
import type { Clock, Database, Logger } from '#platform';

import type { IngestMetrics } from '../ingest-metrics.js';
import type { TopicPartition } from '../source/source.js';
import { partitionKey } from '../source/source.js';

export interface GapWatchTools {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
}

/** Where a partition stands still. */
export interface Gap {
  readonly source: SourcePartition;
  readonly storedOffset: number;
  readonly oldestOffset: number;
}

/** Partitions that stand still because records were lost: told once, and held until a person accepts it. */
export class GapWatch {
  private readonly held = new Map<string, Gap>();

  constructor(private readonly tools: GapWatchTools) {}

  get gaps(): readonly Gap[] {
    return [...this.held.values()];
  }

  /**
   * @param signal the partition is not ours any more
   * @returns whether a person has accepted the gap: the partition is then to be placed anew
   */
  async hold(gap: Gap, signal: AbortSignal): Promise<boolean> {
    const { database, clock, logger, metrics } = this.tools;
    const { topic, partition } = gap.source;
    const { storedOffset, oldestOffset } = gap;
    const { isNew, isAccepted } = await holdAtGap(database, gap, clock.now());
    // Once for all processes: after a rebalance another one may hold the partition.
    if (isNew) metrics.sourceGap({ topic, partition });
    const fields = { topic, partition, storedOffset, oldestOffset };
    if (isAccepted) {
      logger.warn(fields, 'the gap was accepted; the partition goes on at the oldest record left');
      return true;
    }
    if (signal.aborted) return false;
    const isTold = this.held.has(partitionKey(gap.source));
    this.held.set(partitionKey(gap.source), gap);
    if (!isTold) {
      logger.error(
        fields,
        'the topic no longer holds records that were not consumed yet; this partition stays stopped until `loyaltyd accept-gap`',
      );
    }
    return false;
  }

  /** The partition goes on. */
  letGo(partition: TopicPartition): void {
    this.held.delete(partitionKey(partition));
  }

  forget(): void {
    this.held.clear();
  }
}
