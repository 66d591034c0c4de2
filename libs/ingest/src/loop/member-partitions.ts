import type { PreparedRecord, RecordResult } from '#intents';
import type { Clock, Logger } from '#platform';

import type { IngestMetrics } from '../ingest-metrics.js';
import type { TopicPartition } from '#kafka';

/** Members of a topic that are remembered at once, some 100 bytes each; the one that was met first is forgotten first. */
export const rememberedMembersMax = 20_000;
/** At most one warning per topic in this time. */
const warnIntervalMs = 3_600_000;

interface MemberPartitionsTools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<IngestMetrics, 'memberInTwoPartitions'>;
}

interface RecordedChunk {
  readonly source: TopicPartition;
  readonly records: readonly PreparedRecord[];
  /** One for each record. */
  readonly results: readonly RecordResult[];
}

/** In the place of a partition: it was found in two. */
const inTwo = -1;

/**
 * Counts members whose records lie in two partitions of a topic, of those that this consumer meets: mostly two kinds of
 * producers that place the same key differently (librdkafka by crc32, Java's by murmur2). Kafka keeps no order between
 * partitions: a refund may come before its sale.
 */
export class MemberPartitions {
  /** By topic, by program and member: the partition. */
  private readonly topics = new Map<string, Map<string, number>>();
  private readonly warnedAt = new Map<string, number>();

  constructor(private readonly tools: MemberPartitionsTools) {}

  /** A topic may have got more partitions: then members move, and once is as it should be. */
  forget(): void {
    this.topics.clear();
  }

  recorded({ source, records, results }: RecordedChunk): void {
    for (const [index, { verdict }] of records.entries()) {
      if (verdict.kind !== 'routed' || results[index]?.kind !== 'recorded') continue;
      const owner = verdict.intents[0] ?? verdict.cancels[0];
      if (owner === undefined || owner.memberId === '') continue;
      const before = this.met(source, `${owner.program}\n${owner.memberId}`);
      if (before !== null) this.report(source, before, verdict.eventSource);
    }
  }

  /** @returns the other partition in which a member was met, the first time that it is found in two */
  private met({ topic, partition }: TopicPartition, member: string): number | null {
    const members = this.topics.get(topic) ?? new Map<string, number>();
    this.topics.set(topic, members);
    const before = members.get(member);
    if (before === partition || before === inTwo) return null;
    members.set(member, before === undefined ? partition : inTwo);
    const [oldest] = members.keys();
    if (members.size > rememberedMembersMax && oldest !== undefined) members.delete(oldest);
    return before ?? null;
  }

  private report({ topic, partition }: TopicPartition, before: number, eventSource: string): void {
    const { clock, logger, metrics } = this.tools;
    metrics.memberInTwoPartitions(topic);
    const now = clock.monotonic();
    if (now - (this.warnedAt.get(topic) ?? Number.NEGATIVE_INFINITY) < warnIntervalMs) return;
    this.warnedAt.set(topic, now);
    logger.warn(
      { topic, partitions: [before, partition], source: eventSource },
      'records of one member lie in two partitions of a topic: their order is not kept',
    );
  }
}
