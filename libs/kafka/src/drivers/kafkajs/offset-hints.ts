import type { Offsets } from 'kafkajs';

import type { CancelTimer, Clock, Logger } from '#platform';
import type { TopicPartition } from '../../driver.js';
import { partitionKey } from '../../driver.js';
import { kafkaErrorFields } from './kafka-connection.js';

/**
 * How often offsets are committed. For each batch it cost a request of its own, which the next fetch waited for: with
 * one event a batch as much as recording the event (decision 0015).
 */
export const offsetHintMs = 1_000;

type CommitOffsets = (offsets: Offsets) => Promise<void>;

/**
 * Commits the group's offsets to Kafka. They are only a hint for tools that watch the lag: the stored offset is the
 * truth, and a failure costs nothing.
 */
export class OffsetHints {
  private readonly news = new Map<string, TopicPartition & { readonly offset: string }>();
  private commit: CommitOffsets | null = null;
  private cancelTimer: CancelTimer | null = null;

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly logger: Logger,
  ) {}

  /** Everything below `nextOffset` is durable. @param commit commits offsets from now on */
  progressed({ topic, partition }: TopicPartition, nextOffset: number, commit: CommitOffsets): void {
    this.news.set(partitionKey({ topic, partition }), { topic, partition, offset: String(nextOffset) });
    this.commit = commit;
    this.cancelTimer ??= this.clock.after(offsetHintMs, () => void this.commitPending());
  }

  /** Commits the offsets that are not committed yet. Never rejects. */
  async commitPending(): Promise<void> {
    const { commit } = this;
    const news = [...this.news.values()];
    this.forget();
    if (commit === null || news.length === 0) return;
    const byTopic = Map.groupBy(news, ({ topic }) => topic);
    const topics = [...byTopic].map(([topic, partitions]) => ({ topic, partitions }));
    try {
      await commit({ topics });
    } catch (error) {
      this.logger.debug(kafkaErrorFields(error), 'offsets were not committed to Kafka');
    }
  }

  /** Partitions are being reassigned: another consumer commits the offsets of those that we lose. */
  forget(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
    this.news.clear();
  }
}
