import type { PreparedRecord } from '#intents';

/** What every process with the operations API knows of topics. */
export abstract class TopicRules {
  /** Whether topics can be read here. */
  abstract readonly isReadable: boolean;
  /** Of what records are older, identities may be forgotten, epoch ms; 0: of none. */
  abstract knownSince(now: number): number;
  /** The source of the programs file in force by which a topic comes; null: none reads it. */
  abstract sourceOf(topic: string): string | null;
}

/** A partition of a topic that there is, as the brokers have it. */
export interface BrokersPartition {
  readonly topic: string;
  readonly partition: number;
  /** The oldest offset left. */
  readonly low: number;
  /** Up to where it can be read. */
  readonly stable: number;
  /** The first one at or after the time that was asked for; null: none was. */
  readonly at: number | null;
  /** The first one of which identities are remembered. */
  readonly knownAt: number;
}

/** A part of a partition. */
export interface PartToRead {
  readonly topic: string;
  readonly partition: number;
  readonly next: number;
  readonly end: number;
}

/** Records of one partition that are recorded together, prepared as ingest would prepare them now. */
export interface ReadPart {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly PreparedRecord[];
  /** Behind the last of them, and whatever there is none of. */
  readonly nextOffset: number;
  /** 16 bytes that name the programs file which routed them. */
  readonly programsHash: Uint8Array;
}

/** Reads topics once more, beside the consumer that ingests them. */
export abstract class TopicReader {
  abstract readonly rules: TopicRules;
  /** Whether dead letters are published. */
  abstract readonly hasDeadLetters: boolean;
  /**
   * @param at asks for the offsets of a time, epoch ms
   * @returns of the topics that there are, every partition
   */
  abstract look(
    topics: readonly string[],
    times: { readonly at: number | null; readonly knownSince: number },
  ): Promise<{ readonly clusterId: string; readonly partitions: readonly BrokersPartition[] }>;
  /** Ends with its parts, or once the signal fires. */
  abstract read(parts: readonly PartToRead[], signal: AbortSignal): AsyncIterable<ReadPart>;
}
