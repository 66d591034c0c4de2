import type { Socket } from 'node:net';

import { errorCode, errorName, keyedDigest, type Clock, type Logger, type Random } from '#platform';

import type { ShardClaim, ShardMember, UnreadPartition } from './share-shards.js';

/**
 * What the rest of the house knows of Kafka. A driver (`drivers/`) speaks to the brokers by whichever client; nothing of that
 * client's types passes through here. What every driver must do is written down as `testing/describe-driver.ts`.
 */
export abstract class KafkaDriver {
  /** A member of a consumer group. Nothing connects before its `start`. */
  abstract consumer(settings: ConsumerSettings, tools: ConsumerTools): Source;
  /**
   * Connects.
   * @throws {KafkaError}
   */
  abstract producer(connection: KafkaConnection, logger: Logger): Promise<Producer>;
  /** @param patience `once`: a caller waits for the answer, so each question has one try and a short limit */
  abstract admin(connection: KafkaConnection, logger: Logger, patience: 'once' | 'usual'): Admin;

  /** Connects to one broker and logs in. @returns null when that works */
  async tryBroker(
    connection: KafkaConnection & { readonly brokers: readonly [string] },
    logger: Logger,
  ): Promise<KafkaProblem | null> {
    try {
      // A connection alone proves nothing: where a login is wanted, the broker says so with the first request.
      await this.admin(connection, logger, 'once').brokers();
      return null;
    } catch (error) {
      return kafkaProblem(error);
    }
  }
}

/** Certificates and key as PEM; read anew for each connection, so that accessors may follow files that are renewed. */
export interface KafkaTls {
  /** Absent: the authorities that Node knows. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Read anew for each connection, as `KafkaTls`. */
export type KafkaLogin =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    }
  | KafkaBearer;

/** A login by token (RFC 7628). */
export interface KafkaBearer {
  readonly mechanism: 'oauthbearer';
  /** One that is valid, asked for at each login. May reject: then none is to be had now; `code` says why, fit for a log. */
  readonly token: () => Promise<string>;
  /** A broker has refused it: another one may help. */
  readonly refused?: (token: string) => void;
  /** What brokers are told beside the token. */
  readonly extensions?: Readonly<Record<string, string>>;
}

/** How to reach the brokers, as read from the environment (contracts.md section 3). */
export interface KafkaConnection {
  /** `HOST:PORT`; an IPv6 address in brackets. */
  readonly brokers: readonly string[];
  /** As brokers show us in logs and quotas. */
  readonly clientId?: string;
  /** `true`: encrypted, without anything of our own. Absent: in clear. */
  readonly ssl?: boolean | KafkaTls;
  readonly sasl?: KafkaLogin;
  /** Lets a drill put something between us and the brokers. */
  readonly socketFactory?: (to: {
    readonly host: string;
    readonly port: number;
    readonly onConnect: () => void;
  }) => Socket;
}

/**
 * Why Kafka did not do what it was asked. `closed`: the broker took the connection and hung up on it, as it does where it
 * wants TLS or a login and is not offered any.
 */
export type KafkaProblemKind =
  | 'unreachable'
  | 'closed'
  | 'tls'
  | 'authentication'
  /** We log in by a token, and none is to be had. */
  | 'no-token'
  | 'not-allowed'
  | 'no-leader'
  | 'no-coordinator'
  | 'timeout'
  | 'unsupported'
  | 'other';

export interface KafkaProblem {
  readonly kind: KafkaProblemKind;
  /** Kafka's, the client's, Node's or OpenSSL's code or name; fit for a log. */
  readonly code: string;
  /** Which one, where it is known: the one that was asked, or one that another broker named. */
  readonly broker: string | null;
}

/** What a driver throws; its client's own error is the cause. */
export class KafkaError extends Error {
  override readonly name = 'KafkaError';
  readonly code: string;

  constructor(
    readonly trouble: KafkaProblem,
    cause: Error,
  ) {
    super(cause.message, { cause });
    this.code = trouble.code;
  }
}

/** What is wrong. Messages are not passed on: they may quote what they choked on. */
export function kafkaProblem(error: unknown): KafkaProblem {
  if (error instanceof KafkaError) return error.trouble;
  return { kind: 'other', code: errorCode(error) ?? errorName(error), broker: null };
}

/** The topic takes no record as large as one of those that were sent. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof KafkaError && error.trouble.code === 'MESSAGE_TOO_LARGE';
}

/** Tells databases apart, by a key that each has made for itself; tells nothing of the key. */
export function installationName(mac: Uint8Array): string {
  return keyedDigest(mac, '["consumer-group"]').toString('hex');
}

export interface ConsumerSettings {
  /** Asked at each connection, so that renewed secrets are used. */
  readonly connection: () => KafkaConnection;
  readonly groupId: string;
  /** `installationName`, the same for all that consume into one database: only they may share a group, but for shards. */
  readonly installation: string;
  /** The database owns some of the partitions, and others own the rest. Absent: it owns them all. */
  readonly shard?: ConsumedShard;
  /** All of them, on every replica: a leader that knows fewer topics would assign the partitions of the others to no member. */
  readonly topics: readonly string[];
  /** Further ones, which may become others while it runs: then it consumes those. Absent: there are none. */
  readonly further?: FurtherTopics;
  /** What one record batch may grow to when it is decompressed; of the last consumer that was started in this process. */
  readonly decompressedBytesMax: number;
  /** How soon added partitions are noticed; by default a minute. */
  readonly metadataAgeMs?: number;
}

export interface ConsumedShard {
  readonly claim: ShardClaim;
  /** What nobody reads, after each time that this consumer has shared out the group's partitions; none, where another one does. */
  readonly onShared: (unread: readonly UnreadPartition[]) => void;
}

/** Both are asked again and again. */
export interface FurtherTopics {
  /** Those that are named; some may not exist yet. */
  readonly names: () => readonly string[];
  /** Whether a topic is meant that is not named. Null: none is, so that nobody needs to look which there are. */
  readonly matches: () => ((topic: string) => boolean) | null;
}

export interface ConsumerTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

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
  /** The next offset: beyond the last record and whatever the client filtered out behind it. */
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
  /** Everything below `nextOffset` is durable: the source continues from there and may commit it to the broker. */
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
 * A member of a consumer group; a simulation has its own. Where a partition goes on is decided by who listens: `seek`, `pause`
 * and `resume` on one that is not ours any more do nothing.
 */
export interface Source {
  /** Connects and consumes until `stop`; loses nothing by itself, reconnects for ever. Returns at once. */
  start(listener: SourceListener): void;
  /** Resolves when no batch is being worked on any more and the group has been left. */
  stop(): Promise<void>;
  seek(partition: TopicPartition, offset: number): void;
  pause(partition: TopicPartition): void;
  resume(partition: TopicPartition): void;
  /** @throws {KafkaError} */
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

/** Headers of a record that is sent; several values under one name as a list. One without a value is left out. */
export type OutgoingHeaders = Readonly<Record<string, Buffer | string | (Buffer | string)[]>>;

/** A record to be sent. */
export interface OutgoingRecord {
  /** Decides the partition, as Java's producers do, unless one is named. */
  readonly key: Buffer | string | null;
  readonly value: Buffer | string | null;
  readonly headers?: OutgoingHeaders;
  readonly partition?: number;
  /** What its timestamp is, epoch ms; absent: when it is sent. */
  readonly sentAt?: number;
}

export interface TopicRecords {
  readonly topic: string;
  readonly records: readonly OutgoingRecord[];
}

/** Where the records of one partition were put: side by side, in the order in which they were given. */
export interface PutRecords extends TopicPartition {
  readonly firstOffset: number;
  /** The timestamp that the broker gave them, epoch ms; null: they keep their own. */
  readonly appendedAt: number | null;
}

/** A connection that sends. */
export interface Producer {
  /**
   * Resolves once every replica has all of them.
   * @throws {KafkaError}
   */
  send(records: readonly TopicRecords[]): Promise<readonly PutRecords[]>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** A topic as the brokers describe it. */
export interface InspectedTopic {
  readonly name: string;
  readonly partitions: number;
}

/** How long a topic keeps its records. */
export interface TopicSettings {
  readonly name: string;
  /** Null: for ever. */
  readonly retentionMs: number | null;
  /** Of the records with one key only the last is kept. */
  readonly isCompacted: boolean;
  /** So many replicas must have a record before it is acknowledged to who waits for all; null: the broker does not say. */
  readonly minInsyncReplicas: number | null;
}

/** Null: the broker does not say. */
export interface ReadRights {
  /** By name. */
  readonly topics: ReadonlyMap<string, boolean | null>;
  readonly group: boolean | null;
}

/** Where a partition begins and ends, for who asks how much is still to be read. */
export interface PartitionEnds extends Watermarks {
  /** Up to where it can be read: behind it lie an open transaction's first record and whatever came after that. */
  readonly stable: number;
}

/** A transaction of a partition that is neither committed nor aborted. */
export interface OpenTransaction extends TopicPartition {
  /** The broker's number of the producer, as `kafka-transactions.sh` shows it. */
  readonly producerId: string;
  /** Of its first record. */
  readonly startOffset: number;
  /** When its producer wrote last, epoch ms. */
  readonly lastAt: number;
}

/** The consumer group as its coordinator describes it. */
export interface InspectedGroup {
  /** `Stable`, `Empty`, `Dead`, `PreparingRebalance`, `CompletingRebalance`, ... */
  readonly state: string;
  readonly members: number;
  /**
   * Whether its members consume into the database with this key, or, of a shard, into those of its shop; null where it has
   * none.
   */
  readonly isOwn: (mac: Uint8Array, shop: string | null) => boolean | null;
  /** What its members say of their databases, and which topics they read; empty of a group that is no shop's. */
  readonly shards: { readonly members: readonly ShardMember[]; readonly topics: readonly string[] };
}

/** The offset that a consumer group has committed to Kafka for a partition. */
export interface CommittedOffset extends TopicPartition {
  readonly nextOffset: number;
}

/**
 * Asks the brokers, each time on a connection of its own. Where nothing else is said the topics must exist.
 * All methods throw `KafkaError`.
 */
export interface Admin {
  /** What the brokers call themselves. Where a login is wanted, this needs it. */
  brokers(): Promise<readonly { readonly host: string; readonly port: number }[]>;
  /** Those of the topics that there are. Never makes one by asking for it. */
  existing(names: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of the topics that there are, by name; fails where a partition of any topic has no leader. */
  topics(wanted: readonly string[] | ((name: string) => boolean)): Promise<ReadonlyMap<string, InspectedTopic>>;
  /** Whether we may read these topics, and in that group. */
  readRights(names: readonly string[], groupId: string): Promise<ReadRights>;
  topicSettings(names: readonly string[]): Promise<readonly TopicSettings[]>;
  /** Every partition, by topic. */
  ends(names: readonly string[]): Promise<ReadonlyMap<string, readonly PartitionEnds[]>>;
  /** As far as the brokers name them: those before 2.8, and those that keep producers from us, name none. */
  openTransactions(partitions: readonly TopicPartition[]): Promise<readonly OpenTransaction[]>;
  group(groupId: string): Promise<InspectedGroup>;
  /** What Kafka keeps for the group; nothing of partitions that it never committed. */
  committed(groupId: string, topics: readonly string[]): Promise<readonly CommittedOffset[]>;
  /** With all that Kafka keeps for it; fails while it has members. */
  deleteGroup(groupId: string): Promise<void>;
}
