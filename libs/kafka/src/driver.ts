/** One value of a header; null is a header without a value. */
export type HeaderItem = Uint8Array | string | null;

/** By name: a value, or several under one name. */
export type RecordHeaders = Readonly<Record<string, HeaderItem | readonly HeaderItem[] | undefined>>;

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** One text per partition, for maps. */
export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/**
 * Records that the source did not take out of the batch in which they lie: it is larger than we are willing to take, or
 * damaged. `bytes` is the whole record batch as the broker has it.
 */
export interface UndecodedBatch {
  readonly reason: 'oversized' | 'unreadable';
  /** Names rules and sizes, never a value. */
  readonly detail: string;
  /** The first of its records that was not consumed before. */
  readonly firstOffset: number;
  readonly bytes: Uint8Array;
}

export interface FetchedRecord {
  readonly offset: number;
  /** Broker timestamp, epoch ms. */
  readonly brokerAt: number;
  /** The broker's clock has set it (`LogAppendTime`); absent: the producer's may have. */
  readonly isAppendTime?: true;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: RecordHeaders | undefined;
  /** Set: this stands for all records from its first offset to `offset`, and has neither key nor value. */
  readonly undecoded?: UndecodedBatch;
}

/** What one fetch brought of one partition, in offset order; never empty. */
export interface FetchedBatch extends TopicPartition {
  /** The offset that was asked for; the first record may lie beyond it (compaction, control records). */
  readonly fetchedFrom: number;
  /** Where the partition goes on: beyond the last record and whatever the client filtered out behind it. */
  readonly nextOffset: number;
  readonly highWatermark: number;
  readonly records: readonly FetchedRecord[];
}

/** A range that the client passed over by itself: control records and aborted transactions. */
export interface SkippedRange extends TopicPartition {
  readonly from: number;
  readonly nextOffset: number;
}

/** Holding a partition while one of its batches is worked on. */
export interface BatchLease {
  /** Everything below `nextOffset` is durable: the source goes on from there and may tell the broker. */
  acknowledge(nextOffset: number): void;
  /** Keeps the membership alive. Rejects when the partition is lost: nothing may be acknowledged any more. */
  heartbeat(): Promise<void>;
}

export interface Watermarks {
  readonly partition: number;
  /** The oldest offset that can still be fetched. */
  readonly low: number;
  /** The offset of the next record to be produced. */
  readonly high: number;
}

export interface SourceListener {
  /**
   * All partitions that are ours from now on. They are paused: nothing is fetched from one before `seek` and `resume`.
   * Must return at once.
   */
  assigned(partitions: readonly TopicPartition[]): void;
  /** One batch of one partition; the next one of that partition comes after the promise settled. Must not reject. */
  batch(batch: FetchedBatch, lease: BatchLease): Promise<void>;
  skipped(range: SkippedRange): void;
}

/**
 * What ingest needs from Kafka, so that a simulation or another client can take its place. `seek`, `pause` and
 * `resume` on a partition that is not ours any more do nothing.
 */
export interface Source {
  /** Connects and consumes until `stop`; loses nothing by itself, reconnects for ever. Returns at once. */
  start(listener: SourceListener): void;
  /** Resolves when no batch is being worked on any more and the group has been left. */
  stop(): Promise<void>;
  seek(partition: TopicPartition, offset: number): void;
  pause(partition: TopicPartition): void;
  resume(partition: TopicPartition): void;
  facts(request: FactsRequest): Promise<SourceFacts>;
  /** When something was last fetched, confirmed by the group or tried anew, on the monotonic clock: for liveness. */
  lastProgressAt(): number;
}

export interface FactsRequest {
  readonly topics: readonly string[];
  /** Asks for the offsets of the first records at or after this time, epoch ms. */
  readonly timeMs: number | null;
}

/** The broker's side of a decision where to begin. */
export interface SourceFacts {
  /** `unknown` where the broker does not tell. */
  readonly clusterId: string;
  /** By topic, every partition. */
  readonly watermarks: ReadonlyMap<string, readonly Watermarks[]>;
  /** By `partitionKey`; empty without `timeMs`. */
  readonly offsetsAt: ReadonlyMap<string, number>;
  /** Topics that this source has not seen at first, with when it has missed them first, epoch ms. */
  readonly missedAt?: ReadonlyMap<string, number>;
}
