import type { TopicPartition, UnreadPartition } from '#kafka';

/** What ingest counts (contracts.md section 8). Called once per batch and label, never per record. */
export interface IngestMetrics {
  /** `loyaltyd_events_ingested_total{topic,result}`; result: `recorded`, `quarantined`, or the reason for ignoring. */
  eventsIngested(topic: string, result: string, count: number): void;
  /** `loyaltyd_quarantined_total{reason}` */
  quarantined(reason: string, count: number): void;
  /** `loyaltyd_record_keys_total{topic,key}`: recorded although not keyed by their member; key: `other`, `none`. */
  recordKeys(topic: string, key: string, count: number): void;
  /** `loyaltyd_members_in_two_partitions_total{topic}`: one more member, found in a second partition of the topic. */
  memberInTwoPartitions(topic: string): void;
  /** `loyaltyd_consumer_lag{topic,partition}`: records behind the high watermark after a batch. */
  consumerLag(partition: TopicPartition, records: number): void;
  /** `loyaltyd_source_gap_total`: a partition stopped because the topic's retention overtook us. Once for each gap. */
  sourceGap(partition: TopicPartition): void;
  /** `loyaltyd_unread_partitions{reason}`: of a group of shards that this process leads, what nobody reads. */
  unreadPartitions(partitions: readonly UnreadPartition[]): void;
}

/** Counts nothing. */
export const noIngestMetrics: IngestMetrics = {
  eventsIngested: () => undefined,
  quarantined: () => undefined,
  recordKeys: () => undefined,
  memberInTwoPartitions: () => undefined,
  consumerLag: () => undefined,
  sourceGap: () => undefined,
  unreadPartitions: () => undefined,
};
