import type { PreparedRecord, RecordResult } from '#intents';
import { nobody } from '#intents/core';
import type { TopicPartition } from '#kafka';
import type { Clock, Logger } from '#platform';

import type { IngestMetrics } from '../ingest-metrics.js';

/** Sources remembered at once; further ones are only counted by the metric. */
export const warnedSourcesMax = 1_000;
/** At most one warning per source, and one of members in two partitions per topic, in this time. */
export const warnIntervalMs = 3_600_000;
/** Members of a topic that are remembered at once, some 100 bytes each; the one that was met first is forgotten first. */
export const rememberedMembersMax = 20_000;

/** How a record is keyed that is not keyed by its member. */
type OddKey = 'other' | 'none';
type KeyCounts = Record<OddKey, number>;

interface MemberOrderTools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<IngestMetrics, 'recordKeys' | 'memberInTwoPartitions'>;
}

/** What was recorded of one chunk. */
interface RecordedChunk {
  readonly source: TopicPartition;
  readonly records: readonly PreparedRecord[];
  /** One for each record. */
  readonly results: readonly RecordResult[];
}

type Routed = Extract<PreparedRecord['verdict'], { kind: 'routed' }>;

function oddKeyOf(key: Uint8Array | null, { intents, cancels }: Routed): OddKey | null {
  const { memberId = nobody } = intents[0] ?? cancels[0] ?? {};
  // A return without the card has no member to be keyed by.
  if (memberId === nobody) return null;
  if (key === null) return 'none';
  return Buffer.from(memberId).equals(key) ? null : 'other';
}

/** In the place of a partition: the member was found in two. */
const inTwo = -1;

/**
 * Counts and reports what Kafka keeps no order of within a member (contracts.md section 1): records that are not keyed by
 * their member's id, and members whose records lie in two partitions of a topic, mostly because two kinds of producers place
 * the same key differently (librdkafka by crc32, Java's by murmur2). A refund may then come before its sale. Only what is
 * recorded counts: what is ignored has no order.
 */
export class MemberOrder {
  /** By source: when it was last logged, and the counts since. The source logged longest ago comes first. */
  private readonly warnedSources = new Map<string, KeyCounts & { readonly at: number }>();
  /** By topic, by program and member: the partition. */
  private readonly partitions = new Map<string, Map<string, number>>();
  private readonly warnedTopics = new Map<string, number>();

  constructor(private readonly tools: MemberOrderTools) {}

  /** A topic may have got more partitions: then members move, and once is as it should be. */
  reassigned(): void {
    this.partitions.clear();
  }

  recorded(chunk: RecordedChunk): void {
    this.countKeys(chunk);
    this.countPartitions(chunk);
  }

  private countKeys(chunk: RecordedChunk): void {
    const { topic } = chunk.source;
    const counts = { other: 0, none: 0 };
    for (const [source, { other, none }] of oddKeysBySource(chunk)) {
      counts.other += other;
      counts.none += none;
      this.warnOfKeys({ topic, source, other, none });
    }
    if (counts.other > 0) this.tools.metrics.recordKeys(topic, 'other', counts.other);
    if (counts.none > 0) this.tools.metrics.recordKeys(topic, 'none', counts.none);
  }

  private warnOfKeys({
    topic,
    source,
    other,
    none,
  }: KeyCounts & { readonly topic: string; readonly source: string }): void {
    const { clock, logger } = this.tools;
    const now = clock.monotonic();
    const known = this.warnedSources.get(source) ?? { at: Number.NEGATIVE_INFINITY, other: 0, none: 0 };
    known.other += other;
    known.none += none;
    if (now - known.at < warnIntervalMs) return;
    this.warnedSources.delete(source);
    if (!this.hasRoom(now)) return;
    this.warnedSources.set(source, { at: now, other: 0, none: 0 });
    logger.warn(
      { topic, source, other: known.other, none: known.none },
      'records of a source are not keyed by their member: their order is not kept',
    );
  }

  private hasRoom(now: number): boolean {
    const [oldest] = this.warnedSources;
    if (oldest === undefined || this.warnedSources.size < warnedSourcesMax) return true;
    const [source, { at }] = oldest;
    return now - at >= warnIntervalMs && this.warnedSources.delete(source);
  }

  private countPartitions({ source, records, results }: RecordedChunk): void {
    for (const [index, { verdict }] of records.entries()) {
      if (verdict.kind !== 'routed' || results[index]?.kind !== 'recorded') continue;
      const owner = verdict.intents[0] ?? verdict.cancels[0];
      if (owner === undefined || owner.memberId === nobody) continue;
      const before = this.met(source, `${owner.program}\n${owner.memberId}`);
      if (before !== null) this.warnOfPartitions(source, before, verdict.eventSource);
    }
  }

  /** @returns the other partition in which a member was met, the first time that it is found in two */
  private met({ topic, partition }: TopicPartition, member: string): number | null {
    const members = this.partitions.get(topic) ?? new Map<string, number>();
    this.partitions.set(topic, members);
    const before = members.get(member);
    if (before === partition || before === inTwo) return null;
    members.set(member, before === undefined ? partition : inTwo);
    const [oldest] = members.keys();
    if (members.size > rememberedMembersMax && oldest !== undefined) members.delete(oldest);
    return before ?? null;
  }

  private warnOfPartitions({ topic, partition }: TopicPartition, before: number, eventSource: string): void {
    const { clock, logger, metrics } = this.tools;
    metrics.memberInTwoPartitions(topic);
    const now = clock.monotonic();
    if (now - (this.warnedTopics.get(topic) ?? Number.NEGATIVE_INFINITY) < warnIntervalMs) return;
    this.warnedTopics.set(topic, now);
    logger.warn(
      { topic, partitions: [before, partition], source: eventSource },
      'records of one member lie in two partitions of a topic: their order is not kept',
    );
  }
}

function oddKeysBySource({ records, results }: RecordedChunk): Map<string, KeyCounts> {
  const found = new Map<string, KeyCounts>();
  for (const [index, { original, verdict }] of records.entries()) {
    if (verdict.kind !== 'routed' || results[index]?.kind !== 'recorded') continue;
    const key = oddKeyOf(original.key, verdict);
    if (key === null) continue;
    const counts = found.get(verdict.eventSource) ?? { other: 0, none: 0 };
    counts[key] += 1;
    found.set(verdict.eventSource, counts);
  }
  return found;
}
