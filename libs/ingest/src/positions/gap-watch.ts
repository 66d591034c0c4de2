import type { SourcePartition } from '#intents';
import { holdAtGap } from '#intents';
import type { Clock, Database, Logger } from '#platform';

import type { IngestMetrics } from '../ingest-metrics.js';
import { partitionKey } from '../source/source.js';

export interface GapWatchTools {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
}

/** Partitions that stand still because records were lost: told once, and held until a person accepts it. */
export class GapWatch {
  private readonly told = new Set<string>();

  constructor(private readonly tools: GapWatchTools) {}

  /** @returns whether a person has accepted the gap: the partition is then to be placed anew */
  async hold(gap: {
    readonly source: SourcePartition;
    readonly storedOffset: number;
    readonly oldestOffset: number;
  }): Promise<boolean> {
    const { database, clock, logger, metrics } = this.tools;
    const { topic, partition } = gap.source;
    const { storedOffset, oldestOffset } = gap;
    const isAccepted = await holdAtGap(database, gap, clock.now());
    const fields = { topic, partition, storedOffset, oldestOffset };
    if (isAccepted) {
      logger.warn(fields, 'the gap was accepted; the partition goes on at the oldest record left');
      this.told.delete(partitionKey(gap.source));
    } else if (!this.told.has(partitionKey(gap.source))) {
      this.told.add(partitionKey(gap.source));
      metrics.sourceGap({ topic, partition });
      logger.error(
        fields,
        'the topic no longer holds records that were not consumed yet; this partition stays stopped until `loyaltyd accept-gap`',
      );
    }
    return isAccepted;
  }

  forget(): void {
    this.told.clear();
  }
}
